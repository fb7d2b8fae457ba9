import { describe, expect, it } from "vitest";
import type { Project } from "../project.ts";
import { go } from "./go.ts";

/** In the form of test2json, with the build events of Go 1.24; times left out. */
const STREAM = String.raw`
{"Action":"start","Package":"example.com/m/calc"}
{"Action":"run","Package":"example.com/m/calc","Test":"TestAdd"}
{"Action":"output","Package":"example.com/m/calc","Test":"TestAdd","Output":"=== RUN   TestAdd\n"}
{"Action":"output","Package":"example.com/m/calc","Test":"TestAdd","Output":"--- PASS: TestAdd (0.00s)\n"}
{"Action":"pass","Package":"example.com/m/calc","Test":"TestAdd","Elapsed":0}
{"Action":"run","Package":"example.com/m/calc","Test":"TestTable"}
{"Action":"run","Package":"example.com/m/calc","Test":"TestTable/one"}
{"Action":"output","Package":"example.com/m/calc","Test":"TestTable/one","Output":"=== RUN   TestTable/one\n"}
{"Action":"output","Package":"example.com/m/calc","Test":"TestTable/one","Output":"    calc_test.go:21: got 2, want 3\n"}
{"Action":"output","Package":"example.com/m/calc","Test":"TestTable/one","Output":"    --- FAIL: TestTable/one (0.00s)\n"}
{"Action":"fail","Package":"example.com/m/calc","Test":"TestTable/one","Elapsed":0}
{"Action":"pass","Package":"example.com/m/calc","Test":"TestTable/two","Elapsed":0}
{"Action":"fail","Package":"example.com/m/calc","Test":"TestTable","Elapsed":0}
{"Action":"skip","Package":"example.com/m/calc","Test":"TestLater","Elapsed":0}
{"Action":"output","Package":"example.com/m/calc","Output":"FAIL\texample.com/m/calc\t0.002s\n"}
{"Action":"fail","Package":"example.com/m/calc","Elapsed":0.003}
{"ImportPath":"example.com/m/bad [example.com/m/bad.test]","Action":"build-output","Output":"# example.com/m/bad\n"}
{"ImportPath":"example.com/m/bad [example.com/m/bad.test]","Action":"build-output","Output":"bad/bad.go:3:9: undefined: nope\n"}
{"ImportPath":"example.com/m/bad [example.com/m/bad.test]","Action":"build-fail"}
{"Action":"output","Package":"example.com/m/bad","Output":"FAIL\texample.com/m/bad [build failed]\n"}
{"Action":"fail","Package":"example.com/m/bad","Elapsed":0,"FailedBuild":"example.com/m/bad [example.com/m/bad.test]"}
FAIL
`;

describe("go test", () => {
  it("is read from its events: tests of tests are counted once, a package that does not build is told", async () => {
    expect(await go.toReport({ report: undefined, output: STREAM })).toEqual({
      passed: 2,
      failed: 1,
      skipped: 1,
      failures: [
        {
          name: "example.com/m/calc > TestTable > one",
          file: "calc_test.go",
          line: 21,
          message: expect.stringContaining("got 2, want 3"),
        },
        {
          name: "example.com/m/bad (the package itself)",
          file: "bad/bad.go",
          line: 3,
          message: expect.stringContaining("undefined: nope"),
        },
      ],
    });
  });

  it("says nothing where go printed something else", async () => {
    expect(await go.toReport({ report: undefined, output: "go: go.mod file not found\n" })).toBeUndefined();
  });

  it("is given the package of a path, and a name as a pattern", async () => {
    const project: Project = {
      folder: "/m",
      names: new Set(["go.mod"]),
      testScript: undefined,
      hasWorkspaces: false,
      packages: new Set(),
      read: () => "",
    };
    const args = async (absolute: string | undefined, isFolder: boolean): Promise<readonly string[]> => {
      const path = absolute === undefined ? undefined : { absolute, isFolder };
      return (await go.toCommand({ project, path, filter: "A.b", reportFile: "/r" })).args;
    };
    expect(await args(undefined, true)).toEqual(["test", "-json", "-run=A\\.b", "./..."]);
    expect((await args("/m/calc", true)).at(-1)).toBe("./calc/...");
    expect((await args("/m/calc/calc_test.go", false)).at(-1)).toBe("./calc");
  });
});
