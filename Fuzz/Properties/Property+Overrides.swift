import WireBase
import WireConfig

extension Property {
    /// The input is a file, an environment and an override, parted by the byte 0x1e, which no file may hold.
    static func checkOverrides(_ parts: [ArraySlice<UInt8>]) throws(BrokenProperty) {
        let base = Array(parts[0])
        let indented = parts[1].split(separator: 0x0a).flatMap { line -> [UInt8] in Array("    ".utf8) + line + [0x0a] }
        let override = String(decoding: parts[2], as: UTF8.self)
        let text = base + Array("\nenvironments:\n  fuzz:\n".utf8) + indented
        let judged = ValidatedEnvironment(
            text,
            name: "fuzz.yaml",
            overrides: [Loader.Override(option: "--set", text: override)]
        )
        try judged.checkPlaces()
        judged.writeReports()

        // A key that stands twice has two values, and is refused.
        let loaded = ValidatedEnvironment.loader.load(bytes: text, name: "fuzz.yaml")
        guard !loaded.problems.hasErrors, var file = loaded.file,
            let environment = file.environment("fuzz"), environment.chain == ["fuzz"],
            file.document.kind(environment.node) == .mapping,
            file.document.value("extends", of: environment.node) == nil
        else { return }
        let result = file.resolve("fuzz")
        let below = file.resolve(nil)
        try file.document.check(result, comesOf: environment.node, over: below)
        let again = file.document.overlay(environment.node, over: result)
        guard file.document.isSame(again, result) else {
            throw BrokenProperty("laid over twice is not laid over once")
        }
    }
}
