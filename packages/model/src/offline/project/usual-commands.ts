/** Tools whose manifests are programs or long: their usual commands, and the dependencies that single lines name. */
import type { Command, Dependency, Manifest, Purpose, ManifestFile } from "./project.ts";
import { baseOf } from "./listing.ts";

type Usual = Partial<Record<Purpose, string>>;

type Tool = { readonly pattern: RegExp; readonly usual: (file: ManifestFile) => Usual; readonly dependency?: RegExp };

const has = ({ listing }: ManifestFile, name: string): boolean => listing.files.includes(name) || listing.folders.has(name);

const TOOLS: readonly Tool[] = [
  {
    pattern: /^Gemfile$/,
    usual: (file) => ({ install: "bundle install", ...(has(file, "spec") ? { test: "bundle exec rspec" } : {}) }),
    dependency: /^\s*gem\s+["']([^"']+)["'](?:\s*,\s*["']([^"']+)["'])?/,
  },
  {
    pattern: /\.gemspec$/,
    usual: () => ({ build: "gem build" }),
    dependency: /add_(?:\w+_)?dependency[\s(]+["']([^"']+)["'](?:\s*,\s*["']([^"']+)["'])?/,
  },
  { pattern: /^Rakefile$/, usual: (file) => (has(file, "test") ? { test: "bundle exec rake test" } : {}) },
  {
    pattern: /^pom\.xml$/,
    usual: (file) => {
      const maven = has(file, "mvnw") ? "./mvnw" : "mvn";
      return { install: `${maven} install`, build: `${maven} package`, test: `${maven} test` };
    },
    dependency: /^\s*<artifactId>([^<]+)<\/artifactId>/,
  },
  {
    pattern: /^build\.gradle/,
    usual: (file) => {
      const gradle = has(file, "gradlew") ? "./gradlew" : "gradle";
      const isProgram = file.lines.some(({ text }) => /\bapplication\b/.test(text));
      return { build: `${gradle} build`, test: `${gradle} test`, ...(isProgram ? { run: `${gradle} run` } : {}) };
    },
    dependency:
      /^\s*(?:implementation|api|testImplementation|compileOnly|runtimeOnly)[\s(]+["']([\w.-]+:[\w.-]+)(?::([^"']+))?["']/,
  },
  {
    pattern: /^CMakeLists\.txt$/,
    usual: (file) => ({
      build: "cmake -S . -B build && cmake --build build",
      install: "cmake --install build",
      ...(file.lines.some(({ text }) => /enable_testing|include\(CTest\)|add_test/.test(text))
        ? { test: "ctest --test-dir build" }
        : {}),
    }),
    dependency: /find_package\(\s*(\w+)(?:\s+([\d.]+))?/i,
  },
  {
    pattern: /^mix\.exs$/,
    usual: () => ({ install: "mix deps.get", build: "mix compile", test: "mix test" }),
    dependency: /\{:(\w+),\s*"([^"]+)"/,
  },
  {
    pattern: /^Package\.swift$/,
    usual: () => ({ build: "swift build", test: "swift test" }),
    dependency: /\.package\(url:\s*"([^"]+)"(?:.*?"([\d.]+)")?/,
  },
  {
    pattern: /^meson\.build$/,
    usual: () => ({ build: "meson setup build && ninja -C build", test: "meson test -C build" }),
    dependency: /dependency\(\s*'([^']+)'/,
  },
  { pattern: /^build\.zig$/, usual: () => ({ build: "zig build", test: "zig build test" }) },
  { pattern: /^tox\.ini$/, usual: () => ({ test: "tox" }) },
  { pattern: /^noxfile\.py$/, usual: () => ({ test: "nox" }) },
  {
    pattern: /\.(?:csproj|fsproj|sln)$/,
    usual: () => ({ build: "dotnet build", test: "dotnet test", run: "dotnet run" }),
    dependency: /<PackageReference\s+Include="([^"]+)"(?:\s+Version="([^"]+)")?/,
  },
  { pattern: /\.cabal$/, usual: () => ({ build: "cabal build", test: "cabal test" }) },
  { pattern: /^configure/, usual: () => ({ build: "./configure && make", install: "make install", test: "make check" }) },
];

export const readByTool = (file: ManifestFile): Manifest => {
  const { path, lines } = file;
  const tool = TOOLS.find(({ pattern }) => pattern.test(baseOf(path)));
  if (!tool) return { path };
  const commands = Object.entries(tool.usual(file)).map(([purpose, command]): Command => ({
    // The keys of a Usual are purposes.
    purpose: purpose as Purpose,
    command,
    where: path,
    isWritten: false,
  }));
  const { dependency } = tool;
  const isTestLine = /testImplementation|test\b/i;
  const dependencies = dependency
    ? lines.flatMap(({ number, text }, at): readonly Dependency[] => {
        const [, name, version = ""] = dependency.exec(text) ?? [];
        if (name === undefined || (path.endsWith("pom.xml") && !isInMavenDependency(file, at))) return [];
        return [{ name, version, group: isTestLine.test(text) ? "to develop" : "to run", where: `${path}:${number}` }];
      })
    : [];
  return { path, commands, dependencies };
};

const isInMavenDependency = ({ lines }: ManifestFile, at: number): boolean =>
  lines.slice(Math.max(0, at - 2), at).some(({ text }) => /<dependency>/.test(text));
