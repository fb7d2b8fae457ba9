/** English words that say what kind of question it is rather than what it is about. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Never worth a search as long as anything else is there. */
export const STOP_WORDS = words(`
  a about above after again all also am an and any anybody anyone anything are around as at be because been before being below between both
  but by can cannot could did do does doing don done down during each either else ever every everything few for from further get gets give
  given go goes going got had has have having he her here him his how however i if in inside into is it its itself just know let lets like
  ll lot made make makes many may me might mine more most much must my need needs no nor not now of off ok okay on once one only or other
  our out outside over own per please quite really s said same say see seem shall she should show so some somebody someone something still
  such t take tell than thanks that the their them then there these they thing things this those through to too under until up us ve very
  want was way we well were what whats when where wheres whether which while who whom whose why will with within without would yes yet you
  your find search look looking locate list print open read display view explain describe actually exactly currently kind sort mean means
  affected anyone ask behind best better correct
  curious currently ever figure first getting good guess happen happened happening help idea interested interesting involved laptop
  lately lying maybe please pretty probably quick quickly regarding relevant sketch somewhere sorry soon stuff suppose supposed sure touch touched try
  trying understand useful usually wondering wrong
  able possible exist exists contain contains mention mentions mentioned mentioning occur occurs appear appears
`);

/** Words for code in general. */
export const GENERIC_NOUNS = words(`
  app application architecture area class classes code codebase codes comment comments component components definition definitions directory
  directories file files folder folders function functions implementation implementations line lines logic method methods module modules
  occurrence occurrences package packages part parts piece place places program project reference references repo repository script scripts
  snippet source sources structure system tree usage usages workspace
`);

/** What is done with a thing: a help in ranking, and what remains to search for when nothing else does. */
export const GENERIC_VERBS = words(`
  build builds built call called calling calls check checked checking checks come comes control controlled controls create created creates
  creating decide decided decides declare declared declares define defined defines defining handle handled handler handlers handles
  handling happen happened happening happens hold holds implement implemented implements implementing keep keeps kept live lives located
  manage managed manages managing perform performed performs process processed processes processing responsible run runs running set sets
  setting start started starts stored stores treat treated treats use used uses using work worked working works
`);
