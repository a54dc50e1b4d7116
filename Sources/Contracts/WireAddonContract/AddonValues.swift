package import WireBase
import WireConfig
package import WireHTTP

/// The state and counters of an add-on.
package struct AddonReport: JSONRecord {
    package enum State: String, JSONWord, PlainCodable {
        /// Started, and not ready yet.
        case starting
        case ready
        /// Has not replied in time, and gets no questions until it does.
        case hanging
        /// Ended, and will be restarted after a delay.
        case resting
        /// Stopped for good.
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
    package var notified = 0, dropped = 0, answered = 0, late = 0, skipped = 0, restarts = 0
    package var trouble: String?
    package var origin: ValueOrigin?

    package init(_ name: String, _ kind: Kind, _ state: State) {
        (self.name, self.kind, self.state) = (name, kind, state)
    }

    package static let form = JSONForm<Self>("Addon", "The state of an add-on.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name.", .example("weather"))
        kind = try members.required(
            "kind",
            \.kind,
            "'program' for an add-on of the services file, 'code' for one of the embedding program."
        )
        state = try members.required("state", \.state, "The state.")
        isRequired = try members.required(
            "required",
            \.isRequired,
            "Whether the runner fails to start without the add-on."
        )
        process = try members.optional("pid", \.process, "The process id.")
        version = try members.optional("version", \.version, "The version that the add-on reports.")
        hooks = try members.required(
            "hooks",
            \.hooks,
            "The events that the add-on receives.",
            .example(["device.willRegister"])
        )
        answers = try members.required("answers", \.answers, "The hooks to which the add-on replies.", .example([]))
        notified = try members.required("told", \.notified, "The number of events sent.", .count)
        dropped = try members.required(
            "dropped",
            \.dropped,
            "The number of events dropped because the queue was full.",
            .count
        )
        answered = try members.required(
            "answered",
            \.answered,
            "The number of hook calls with a reply in time.",
            .count
        )
        late = try members.required("late", \.late, "The number of hook calls that timed out.", .count)
        skipped = try members.required(
            "skipped",
            \.skipped,
            "The number of hook calls skipped while a reply was late.",
            .count
        )
        restarts = try members.required("restarts", \.restarts, "The number of restarts.", .count)
        trouble = try members.optional("trouble", \.trouble, "The last failure.")
        origin = try members.optional("config", \.origin, "The declaration in the services file.")
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

/// A log line of an add-on; its time is in milliseconds since 1970.
package struct AddonLine: JSONRecord {
    package enum Source: String, JSONWord, PlainCodable {
        /// Written to standard error.
        case errors
        /// Written to standard output without being a message.
        case output
        /// Logged by the add-on with a message.
        case log
        /// Logged by corewire about the add-on.
        case corewire
    }

    package let time: Int64
    package let source: Source
    package let text: String

    package init(_ source: Source, _ text: String, at time: Int64) {
        (self.source, self.text, self.time) = (source, text, time)
    }

    package static let form = JSONForm<Self>("AddonLine", "A log line of an add-on.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        time = try members.required("time", \.time, "The time in milliseconds since 1970.", .moment)
        source = try members.required(
            "source",
            \.source,
            "The source of the line; 'corewire' for lines about the add-on."
        )
        text = try members.required("text", \.text, "The text, with secrets redacted.", .example("connected"))
    }
}

/// The stored log lines of an add-on.
package struct AddonLines: JSONRecord {
    package let lines: [AddonLine]

    package init(_ lines: [AddonLine]) { self.lines = lines }

    package static let form = JSONForm<Self>("AddonLines", "The log lines of an add-on.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        lines = try members.required("lines", \.lines, "The lines.")
    }
}

/// Stands in a stream for lines that are no longer stored.
package struct AddonLineGap: JSONRecord {
    package let missing: Int

    package init(missing: Int) { self.missing = missing }

    package static let form = JSONForm<Self>("AddonLineGap", "Lines that are no longer stored.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        missing = try members.required("missing", \.missing, "The number of missing lines.", .count)
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

/// A link for add-ons to open.
package struct AddonLink: JSONRecord {
    package let url: String
}

extension AddonLink {
    package static let form = JSONForm<Self>("Link", "A link for add-ons to open.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        url = try members.required("url", \.url, "The link.", .example("example://articles/7"))
    }
}

/// The add-ons that have opened a link.
package struct AddonLinkAnswer: JSONRecord {
    package let isOpened: Bool
    package let names: [String]

    package init(by names: [String]) { (isOpened, self.names) = (!names.isEmpty, names) }

    package static let form = JSONForm<Self>("LinkOpened", "The add-ons that have opened a link.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        isOpened = try members.required("opened", \.isOpened, "Whether an add-on has opened the link.", .example(true))
        names = try members.required("by", \.names, "The add-ons that have opened it.", .example(["weather"]))
    }
}
