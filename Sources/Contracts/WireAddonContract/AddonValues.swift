package import WireBase
import WireConfig
package import WireHTTP

/// The state of an add-on, and what it has done.
package struct AddonReport: JSONRecord {
    package enum State: String, JSONWord, PlainCodable {
        /// It was started, and has not said that it is ready.
        case starting
        case ready
        /// It has not answered in time, and is asked nothing more until it does.
        case hanging
        /// It has ended, and is started again in a while.
        case resting
        /// It has ended, and stays so.
        case ended
    }

    package enum Kind: String, JSONWord, PlainCodable { case program, code }

    package let name: String
    package let kind: Kind
    package let state: State
    package var isRequired = false
    package var process: Int?
    package var version: String?
    package var hooks: [String] = [], answers: [String] = []
    package var told = 0, dropped = 0, answered = 0, late = 0, skipped = 0, restarts = 0
    package var trouble: String?
    package var origin: ValueOrigin?

    package init(_ name: String, _ kind: Kind, _ state: State) {
        (self.name, self.kind, self.state) = (name, kind, state)
    }

    package static let form = JSONForm<Self>("Addon", "An add-on, and how it is.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Its name.", .example("weather"))
        kind = try members.required(
            "kind",
            \.kind,
            "'program' for one of the file, 'code' for one of the program around the runner."
        )
        state = try members.required("state", \.state, "How it is.")
        isRequired = try members.required("required", \.isRequired, "Whether the runner fails to start without it.")
        process = try members.optional("pid", \.process, "The number of its process.")
        version = try members.optional("version", \.version, "Its version, as it says.")
        hooks = try members.required("hooks", \.hooks, "What it is told about.", .example(["device.willRegister"]))
        answers = try members.required("answers", \.answers, "What it is asked about.", .example([]))
        told = try members.required("told", \.told, "How much it was told.", .count)
        dropped = try members.required("dropped", \.dropped, "How much it was not told, since it was too slow.", .count)
        answered = try members.required("answered", \.answered, "How many questions it answered in time.", .count)
        late = try members.required("late", \.late, "How many it did not.", .count)
        skipped = try members.required(
            "skipped",
            \.skipped,
            "How many it was not asked, since it had not answered.",
            .count
        )
        restarts = try members.required("restarts", \.restarts, "How often it was started again.", .count)
        trouble = try members.optional("trouble", \.trouble, "What went wrong last.")
        origin = try members.optional("config", \.origin, "Where the file has it.")
    }
}

/// All add-ons.
package struct AddonList: JSONRecord {
    package let addons: [AddonReport]

    package init(_ addons: [AddonReport]) { self.addons = addons }

    package static let form = JSONForm<Self>("Addons", "The add-ons.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        addons = try members.required("addons", \.addons, "The add-ons.")
    }
}

/// A line of the log of an add-on; its time is in milliseconds since 1970.
package struct AddonLine: JSONRecord {
    package enum Source: String, JSONWord, PlainCodable {
        /// It wrote it to standard error.
        case errors
        /// It wrote it to standard output, where it is no message.
        case output
        /// It said so itself, by a message.
        case log
        /// corewire says so of it.
        case corewire
    }

    package let time: Int64
    package let source: Source
    package let text: String

    package init(_ source: Source, _ text: String, at time: Int64) {
        (self.source, self.text, self.time) = (source, text, time)
    }

    package static let form = JSONForm<Self>("AddonLine", "A line that has to do with an add-on.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        time = try members.required("time", \.time, "When, in milliseconds since 1970.", .moment)
        source = try members.required(
            "source",
            \.source,
            "Where it was written, or 'corewire' for what became of the add-on."
        )
        text = try members.required("text", \.text, "What it says, secrets redacted.", .example("connected"))
    }
}

/// The lines of an add-on that are kept.
package struct AddonLines: JSONRecord {
    package let lines: [AddonLine]

    package init(_ lines: [AddonLine]) { self.lines = lines }

    package static let form = JSONForm<Self>("AddonLines", "The lines that have to do with an add-on.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        lines = try members.required("lines", \.lines, "The lines.")
    }
}

/// What a stream of lines says in place of lines that are no longer kept.
package struct AddonLineGap: JSONRecord {
    package let missing: Int

    package init(missing: Int) { self.missing = missing }

    package static let form = JSONForm<Self>("AddonLineGap", "Lines that are no longer kept.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        missing = try members.required("missing", \.missing, "How many lines are missing.", .count)
    }
}

// MARK: Requests

/// The name of an add-on.
package struct AddonName: JSONRecord {
    package let name: String
}

extension AddonName {
    package static let form = JSONForm<Self>("AddonName", "The name of an add-on.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.path(
            "name",
            \.name,
            "The name of the add-on.",
            .schema(.text(upTo: 64)),
            .example("weather")
        )
    }
}

/// A link that add-ons are to open.
package struct AddonLink: JSONRecord {
    package let url: String
}

extension AddonLink {
    package static let form = JSONForm<Self>("Link", "A link that add-ons are to open.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        url = try members.required("url", \.url, "The link.", .example("example://articles/7"))
    }
}

/// The add-ons that open a link.
package struct AddonLinkAnswer: JSONRecord {
    package let isOpened: Bool
    package let names: [String]

    package init(by names: [String]) { (isOpened, self.names) = (!names.isEmpty, names) }

    package static let form = JSONForm<Self>("LinkOpened", "The add-ons that open a link.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        isOpened = try members.required("opened", \.isOpened, "Whether anybody opens it.")
        names = try members.required("by", \.names, "The add-ons that do.", .example(["weather"]))
    }
}
