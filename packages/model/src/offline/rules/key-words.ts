/** Words that rules are told by, for mending typos, and words of other languages for them. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const KEY_WORDS: ReadonlySet<string> = new Set(
  words(`
  architecture authors biggest branch branches building changed changelog changes commit commits compile compiled configuration configure
  contributors defined dependencies dependency describe directory documentation entry environment example examples folder functions
  getting history install installation installed installing language languages largest latest libraries library licence license
  longest maintainer methods newest outline overview package packages program project readme recent recently release repository requirements
  running scripts settings source started starting structure summary summarize summarise tested testing tests variables version
  workflow written yesterday explain important thanks
  change charge charged chance range ranges changer contest request requests tester resting listing branched commits committed sources
  sourced setting install installs installer version versions versioned verses started starter starts written writer folders
  functional function examples packaged packager structured structures program programs projects settings requires required
  documented libraries license licensed licenses languages describes described recents testers compiler compiles complete compete
`),
);

/** German, French, Spanish, Italian, Portuguese and Dutch, and slips in short words. */
export const FOREIGN_WORDS: ReadonlyMap<string, string> = new Map(
  `wo=where wie=how was=what wer=who wann=when warum=why welche=which welcher=which welches=which sind=are ist=is die=the der=the das=the den=the dem=the
  dieses=this diese=this dieser=this diesem=this hier=here ich=i man=i kann=can gibt=is es=it und=and mit=with für=for im=in von=of
  projekt=project quellcode=code ordner=folder datei=file dateien=files führe=run ausführen=run starte=run starten=run laufen=run baue=build
  bauen=build installiere=install installieren=install teste=test testen=test abhängigkeiten=dependencies lizenz=licence sprache=language sprachen=languages
  größte=largest größten=largest letzte=last letzten=last letzter=last geändert=changed geschrieben=wrote macht=does tut=does
  einstiegspunkt=entrypoint umgebungsvariablen=environment-variables erkläre=explain zeige=show mir=me
  où=where quoi=what quel=which quelle=which quelles=which quels=which sont=are est=is le=the la=the les=the des=the du=of ce=this cette=this
  projet=project dépôt=repository fichiers=files comment=how je=i lancer=run exécuter=run compiler=build installer=install tester=test
  dépendances=dependencies dernier=last derniers=last langage=language langages=languages
  dónde=where donde=where qué=what que=what cómo=how como=how están=are esta=is está=is el=the los=the las=the este=this proyecto=project repositorio=repository archivos=files
  ejecuto=run ejecutar=run compilar=build instalar=install instalo=install pruebas=tests probar=test dependencias=dependencies licencia=licence
  último=last últimos=last quién=who lenguaje=language lenguajes=languages
  dove=where sono=are il=the progetto=project licenza=licence dipendenze=dependencies
  onde=where estão=are projeto=project testes=tests dependências=dependencies licença=licence
  waar=where zijn=are het=the hoe=how
  teh=the waht=what hwo=how wher=where tset=test tsets=tests tetss=tests isntall=install biuld=build buidl=build lisence=licence licens=licence
  dependancies=dependencies dependecies=dependencies repositry=repository respository=repository whats=what's
  deps=dependencies dependancy=dependency comits=commits commmit=commit`
    .split(/\s+/)
    .map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    }),
);
