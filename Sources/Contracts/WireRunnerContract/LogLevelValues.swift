import WireBase
package import WireHTTP
package import WireTelemetry

/// Levels by their names.
extension LogLevel: PlainText {
    package static var schema: JSONSchema { .words(words) }
    package static var placeholder: LogLevel { .info }
    package static var valueName: String? { "level" }
    package static var words: [String] { allCases.map(\.name) }
    package var plain: String { name }

    package static func read(plain text: String) throws(JSONMismatch) -> LogLevel {
        if let level = allCases.first(where: { $0.name == text }) { return level }
        let nearest = Nearest.name(to: text, among: words).map { ", did you mean \($0.quoted)?" } ?? ""
        throw JSONMismatch("found \(text.quoted), expected \(words.listed())\(nearest)", nil)
    }
}

/// From which level on each module is heard.
package struct LogLevelList: JSONRecord {
    package let usual: LogLevel
    package let modules: [Module]

    package struct Module: Sendable {
        package let name: String
        package let level: LogLevel
        /// Whether it has a level of its own.
        package let isOwn: Bool
    }

    package init(_ levels: LogLevels, _ modules: [String]) {
        usual = levels.usual
        self.modules = modules.map {
            Module(name: $0, level: levels.level(of: $0), isOwn: levels.byModule[$0] != nil)
        }
    }

    package static let form = JSONForm<Self>("LogLevels", "From which level on each module is heard.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        usual = try members.required("usual", \.usual, "Of modules without a level of their own.")
        modules = try members.required("modules", \.modules, "Every module.")
    }
}

extension LogLevelList.Module: JSONRecord {
    package static let form = JSONForm<Self>("ModuleLogLevel", "From which level on a module is heard.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The module.", .example("sync"))
        level = try members.required("level", \.level, "What matters less is not heard.")
        isOwn = try members.required("own", \.isOwn, "Whether it has a level of its own.")
    }
}

/// The level for all modules that have none of their own.
package struct UsualLogLevel: JSONRecord {
    package let level: LogLevel

    package init(_ level: LogLevel) { self.level = level }

    package static let form = JSONForm<Self>("LogLevel", "The level of modules.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        level = try members.required("level", \.level, "What matters less is not heard.")
    }
}

/// The level for a module.
package struct OwnLogLevel: JSONRecord {
    package let module: String
    package let level: LogLevel

    package init(_ level: LogLevel, of module: String) { (self.module, self.level) = (module, level) }

    package static let form = JSONForm<Self>("LogLevel", "The level of modules.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.path("module", \.module, LogModule.help, .example("sync"))
        level = try members.required("level", \.level, "What matters less is not heard.")
    }
}

/// A module that speaks in the log.
package struct LogModule: JSONRecord {
    package let module: String

    fileprivate static let help = "A service, or 'corewire' for the runner itself."

    package init(_ module: String) { self.module = module }

    package static let form = JSONForm<Self>("LogModule", "A module that speaks in the log.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.path("module", \.module, Self.help, .example("sync"))
    }
}
