import WireBase
package import WireHTTP
package import WireTelemetry

/// Reads log levels by name.
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

/// The log levels of all modules.
package struct LogLevelList: JSONRecord {
    package let usual: LogLevel
    package let modules: [Module]

    package struct Module: Sendable {
        package let name: String
        package let level: LogLevel
        /// Whether the module has a level of its own.
        package let isOwn: Bool
    }

    package init(_ levels: LogLevels, _ modules: [String]) {
        usual = levels.usual
        self.modules = modules.map {
            Module(name: $0, level: levels.level(of: $0), isOwn: levels.byModule[$0] != nil)
        }
    }

    package static let form = JSONForm<Self>("LogLevels", "The log levels of all modules.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        usual = try members.required("usual", \.usual, "The default level.")
        modules = try members.required("modules", \.modules, "The log levels of all modules.")
    }
}

extension LogLevelList.Module: JSONRecord {
    package static let form = JSONForm<Self>("ModuleLogLevel", "The log level of a module.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The module.", .example("sync"))
        level = try members.required("level", \.level, "The minimum level.")
        isOwn = try members.required("own", \.isOwn, "Whether the module has a level of its own.")
    }
}

/// The default log level.
package struct UsualLogLevel: JSONRecord {
    package let level: LogLevel

    package init(_ level: LogLevel) { self.level = level }

    package static let form = JSONForm<Self>("LogLevel", "A log level.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        level = try members.required("level", \.level, "The minimum level.")
    }
}

/// The log level of a module.
package struct OwnLogLevel: JSONRecord {
    package let module: String
    package let level: LogLevel

    package init(_ level: LogLevel, of module: String) { (self.module, self.level) = (module, level) }

    package static let form = JSONForm<Self>("LogLevel", "A log level.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.path("module", \.module, LogModule.help, .example("sync"))
        level = try members.required("level", \.level, "The minimum level.")
    }
}

/// A module in the log.
package struct LogModule: JSONRecord {
    package let module: String

    fileprivate static let help = "A service, or 'corewire' for the runner itself."

    package init(_ module: String) { self.module = module }

    package static let form = JSONForm<Self>("LogModule", "A module in the log.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.path("module", \.module, Self.help, .example("sync"))
    }
}
