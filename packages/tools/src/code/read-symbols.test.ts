import { beforeAll, describe, expect, it } from "vitest";
import { CODE_LANGUAGES, languageOf } from "./code-languages.ts";
import type { SourceSymbols } from "./code-symbol.ts";
import type { ReadSymbols } from "./read-symbols.ts";
import { createSymbolReader } from "./read-symbols.ts";

let readSymbols: ReadSymbols;

beforeAll(async () => {
  readSymbols = await createSymbolReader();
});

const read = async (file: string, source: string): Promise<SourceSymbols> => {
  const language = languageOf(file);
  const symbols = language && (await readSymbols(language, file, source));
  if (!symbols) throw new Error(`${file} was not read`);
  return symbols;
};

/** `line kind Container.name`, with + for what is exported and * for what is documented. */
const define = async (file: string, source: string): Promise<readonly string[]> => {
  const { definitions } = await read(file, source);
  return definitions.map(
    ({ line, kind, container, name, exported, documented }) =>
      `${line} ${kind} ${container === "" ? "" : `${container}.`}${name}${exported ? " +" : ""}${documented ? " *" : ""}`,
  );
};

describe("definitions", () => {
  it("of TypeScript", async () => {
    const source = `/** Adds. */
export function add(a: number): number { return a; }
export const LIMIT = 1, run = () => 2;
let later = 3;
// A remark is no documentation.
export default class Store extends Base {
  private secret = 1;
  #hidden = 2;
  /** Reads. */
  read<T>(key: T): void { const inner = () => key; }
  get size() { return 1; }
}
export interface Shape { area(): number; side: string }
export type Id = string;
export enum Colour { Red, Green = 2 }
namespace Space { export const inside = 1; }
export { later as soon };
export { other } from "./other.ts";
const table = { go() {}, stop: () => 1 };
export const { one, two } = table;
`;
    expect(await define("a.ts", source)).toEqual([
      "2 function add + *",
      "3 constant LIMIT +",
      "3 function run +",
      "4 variable later +",
      "6 class Store +",
      "7 property Store.secret",
      "8 property Store.#hidden",
      "10 method Store.read + *",
      "10 function Store.read.inner",
      "11 method Store.size +",
      "13 interface Shape +",
      "13 method Shape.area +",
      "13 property Shape.side +",
      "14 type Id +",
      "15 enum Colour +",
      "15 constant Colour.Red",
      "15 constant Colour.Green",
      "16 module Space",
      "16 constant Space.inside",
      "17 export soon +",
      "18 export other +",
      "19 constant table",
      "19 method table.go",
      "19 method table.stop",
      "20 constant one +",
      "20 constant two +",
    ]);
  });

  it("of TSX and JavaScript with JSX and CommonJS", async () => {
    expect(await define("a.tsx", "export const View = (props: Props) => <div>{props.name}</div>;\n")).toEqual([
      "1 function View +",
    ]);
    const source =
      "function one() {}\nclass Two { field = () => 1; }\nmodule.exports = { one };\nexports.three = 3;\nvar four = <b/>;\n";
    expect(await define("a.jsx", source)).toEqual([
      "1 function one +",
      "2 class Two",
      "2 method Two.field",
      "4 export three +",
      "5 variable four",
    ]);
  });

  it("of Python", async () => {
    const source = `LIMIT = 3
_private = 4
def add(a, b=1):
    """Adds."""
    return a
class Store(Base):
    field = 1
    @property
    def size(self): pass
    async def _read(self):
        def inner(): pass
`;
    expect(await define("a.py", source)).toEqual([
      "1 constant LIMIT +",
      "2 variable _private",
      "3 function add + *",
      "6 class Store +",
      "7 property Store.field +",
      "9 method Store.size +",
      "10 method Store._read",
      "11 function Store._read.inner",
    ]);
  });

  it("of Go", async () => {
    const source = `package main
// Pi is round.
const Pi = 3
var x, Y int
// Store keeps.
type Store struct { Items int; count int }
type Reader interface { Read() error }
type Alias = int
// Add adds.
func Add(a int) error { return nil }
func (s *Store) Close() {}
`;
    expect(await define("a.go", source)).toEqual([
      "3 constant Pi + *",
      "4 variable x",
      "4 variable Y +",
      "6 struct Store + *",
      "6 property Store.Items +",
      "6 property Store.count",
      "7 interface Reader +",
      "7 method Reader.Read +",
      "8 type Alias +",
      "10 function Add + *",
      "11 method Store.Close +",
    ]);
  });

  it("of Rust", async () => {
    const source = `/// Keeps.
#[derive(Debug)]
pub struct Store { pub items: i32, count: i32 }
enum Kind { One, Two(i32) }
pub trait Read { fn read(&self); }
impl Read for Store { fn read(&self) {} }
impl<T> Holder<T> { pub fn new() -> Self { todo!() } fn hidden() {} }
mod inner { pub fn deep() {} }
pub const LIMIT: i32 = 3;
macro_rules! shout { () => {} }
pub fn free<T>(x: T) where T: Sized {}
`;
    expect(await define("a.rs", source)).toEqual([
      "3 struct Store + *",
      "3 property Store.items +",
      "3 property Store.count",
      "4 enum Kind",
      "4 constant Kind.One",
      "4 constant Kind.Two",
      "5 trait Read +",
      "5 method Read.read +",
      "6 method Store.read +",
      "7 method Holder.new +",
      "7 method Holder.hidden",
      "8 module inner",
      "8 function inner.deep",
      "9 constant LIMIT +",
      "10 macro shout",
      "11 function free +",
    ]);
  });

  it("of Java", async () => {
    const source = `/** Keeps. */
public class Store extends Base {
  private int count = 1;
  public static final int LIMIT = 2;
  public Store(int a) {}
  /** Reads. */
  public void read(String key) {}
  enum Kind { ONE }
}
interface Hidden { void go(); }
`;
    expect(await define("Store.java", source)).toEqual([
      "2 class Store + *",
      "3 property Store.count",
      "4 constant Store.LIMIT +",
      "5 method Store.Store +",
      "7 method Store.read + *",
      "8 enum Store.Kind",
      "8 constant Store.Kind.ONE",
      "10 interface Hidden",
      "10 method Hidden.go",
    ]);
  });

  it("of C#", async () => {
    const source = `namespace Space.Inner {
  /// <summary>Keeps.</summary>
  public class Store { public int Size { get; set; } const int Limit = 1; public Store() {} public void Read<T>(T t) {} }
  interface IHidden { void Go(); }
  public enum Kind { One }
}
`;
    expect(await define("Store.cs", source)).toEqual([
      "3 class Space.Inner.Store + *",
      "3 property Space.Inner.Store.Size +",
      "3 constant Space.Inner.Store.Limit",
      "3 method Space.Inner.Store.Store +",
      "3 method Space.Inner.Store.Read +",
      "4 interface Space.Inner.IHidden",
      "4 method Space.Inner.IHidden.Go",
      "5 enum Space.Inner.Kind +",
      "5 constant Space.Inner.Kind.One +",
    ]);
  });

  it("of C++, where headers export, and C", async () => {
    const header = `#define LIMIT 1
namespace space {
/** Keeps. */
class Store : public Base {
  int count;
public:
  Store();
  void read(int a) const { }
  virtual int *size();
};
struct Point { int x; };
enum class Kind { One };
template <typename T> T pick(T a);
using Alias = int;
}
`;
    expect(await define("store.h", header)).toEqual([
      "1 macro LIMIT +",
      "2 module space +",
      "4 class space.Store + *",
      "5 property space.Store.count",
      "7 function space.Store.Store +",
      "8 method space.Store.read +",
      "9 method space.Store.size +",
      "11 struct space.Point +",
      "11 property space.Point.x +",
      "12 enum space.Kind +",
      "12 constant space.Kind.One +",
      "13 function space.pick +",
      "14 type space.Alias +",
    ]);
    const source =
      "void space::Store::close(int a) { read(a); }\nstatic int hidden() { return 1; }\nchar *text(void) { return 0; }\n";
    expect(await define("store.cc", source)).toEqual(["1 method space.Store.close", "2 function hidden", "3 function text"]);
  });

  it("of Ruby", async () => {
    const source = `# Keeps.
module Space
  LIMIT = 1
  class Store < Base
    def read(a) = a
    def self.open; end
    private
    def hidden?; end
  end
end
def top; end
`;
    expect(await define("store.rb", source)).toEqual([
      "2 module Space + *",
      "3 constant Space.LIMIT +",
      "4 class Space.Store +",
      "5 method Space.Store.read +",
      "6 method Space.Store.open +",
      "8 method Space.Store.hidden?",
      "11 function top +",
    ]);
  });

  it("of PHP", async () => {
    const source = `<?php
/** Adds. */
function add(int $a): int { return $a; }
const LIMIT = 1;
class Store { const SIZE = 2; public $items; private function hidden() {} public static function open() {} }
interface Reader { function read(); }
enum Kind: string { case One = 'a'; }
`;
    expect(await define("store.php", source)).toEqual([
      "3 function add + *",
      "4 constant LIMIT +",
      "5 class Store +",
      "5 constant Store.SIZE +",
      "5 property Store.items +",
      "5 method Store.hidden",
      "5 method Store.open +",
      "6 interface Reader +",
      "6 method Reader.read +",
      "7 enum Kind +",
      "7 constant Kind.One +",
    ]);
  });

  it("of shell scripts", async () => {
    expect(await define("a.sh", "# Greets.\ngreet() { echo $NAME; }\nfunction bye { greet; }\nNAME=1\nexport PLACE=2\n")).toEqual(
      ["2 function greet *", "3 function bye", "4 variable NAME", "5 variable PLACE"],
    );
  });

  it("have a signature on one line that ends where the body begins", async () => {
    const { definitions } = await read(
      "a.ts",
      "  export const run = async (\n    first: string,\n  ): Promise<void> => {\n    go();\n  };\n",
    );
    expect(definitions[0]).toMatchObject({
      signature: "export const run = async ( first: string, ): Promise<void> =>",
      line: 1,
      endLine: 5,
    });
  });

  it("are found in what follows a broken line", async () => {
    expect(await define("a.ts", "export const one = 1;\nfunction ( { ]\nexport function two() {}\n")).toEqual(
      expect.arrayContaining(["1 constant one +"]),
    );
  });
});

describe("uses", () => {
  it("are identifiers that define nothing; strings and comments are none", async () => {
    const source = `import { load } from "load";
const text = "load"; // load
export const run = () => load(text).load;
load();
`;
    const { uses } = await read("a.ts", source);
    expect(uses.get("load")).toEqual([1, 3, 4]);
    expect(uses.get("text")).toEqual([3]);
    expect(uses.has("run")).toBe(false);
  });

  it("are counted in characters beyond ASCII as well", async () => {
    const { uses, definitions } = await read("a.py", 'größe = "🙂"\nprint("🙂🙂", größe)\n');
    expect(definitions.map(({ name }) => name)).toEqual(["größe"]);
    expect(uses.get("größe")).toEqual([2]);
  });
});

it("every language is read by its grammar, empty and with garbage", async () => {
  for (const language of CODE_LANGUAGES)
    for (const source of ["", "\u0001 } ) ] { ( [ <<< \"'`"]) {
      const symbols = await readSymbols(language, `x${language.extensions[0]}`, source);
      expect(symbols, language.name).toBeDefined();
    }
});
