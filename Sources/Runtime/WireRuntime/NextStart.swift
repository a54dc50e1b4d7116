import WireBase
package import WireHTTP

/// What the next start is to run, as people decided it last; kept in the store, for each app.
package struct NextStart: Sendable, Equatable {
    /// The environment that was chosen while the runner ran.
    package var environment: String?
    /// A file that does not run again before it changes, or `reload` is asked for.
    package var setAside: SetAside?
    /// A generation that is taken back unless it is confirmed, even if the runner ends meanwhile.
    package var trial: Trial?

    /// What the file said, as one generation, and the generation that runs in its place.
    package struct SetAside: Sendable, Equatable {
        package enum Reason: String, JSONWord, PlainCodable {
            case rolledBack, notConfirmed
        }

        package var generation: Int
        package var instead: Int
        package var reason: Reason

        package init(generation: Int, instead: Int, reason: Reason) {
            (self.generation, self.instead, self.reason) = (generation, instead, reason)
        }
    }

    package struct Trial: Sendable, Equatable {
        package var generation: Int
        package var former: Int
        /// In milliseconds since 1970.
        package var end: Int64
        /// How many runners have begun with it.
        package var starts: Int
        /// So often may a runner end before it is confirmed: it may be what ends it.
        package static let most = 3
    }

    package init() {}
}

extension NextStart.SetAside {
    /// Why what runs is not what the file says, for people.
    package var text: String {
        let why =
            switch reason {
            case .rolledBack: "generation \(instead) was gone back to"
            case .notConfirmed: "what it says was not confirmed"
            }
        return "\(why); 'corewire reload' runs the file again"
    }
}

extension NextStart {
    /// The generations that must be kept for it.
    var generations: Set<Int> {
        Set([setAside?.generation, setAside?.instead, trial?.generation, trial?.former].compactMap { $0 })
    }
}

extension NextStart: JSONRecord {
    package static let form = JSONForm<Self>("NextStart", "What is decided for the next start.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        environment = try members.optional("environment", \.environment, "The environment that was chosen.")
        setAside = try members.optional("setAside", \.setAside, "A file that does not run again.")
        trial = try members.optional("trial", \.trial, "A generation that waits for confirmation.")
    }
}

extension NextStart.SetAside: JSONRecord {
    package static let form = JSONForm<Self>("FileSetAside", "A file that does not run again.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        generation = try members.required("generation", \.generation, "What the file said.")
        instead = try members.required("instead", \.instead, "What runs in its place.")
        reason = try members.required("reason", \.reason, "Why.")
    }
}

extension NextStart.Trial: JSONRecord {
    package static let form = JSONForm<Self>("GenerationTrial", "A generation that waits for confirmation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        generation = try members.required("generation", \.generation, "Which one.")
        former = try members.required("former", \.former, "The one before it.")
        end = try members.required("end", \.end, "When it is taken back.")
        starts = try members.required("starts", \.starts, "How many runners have begun with it.")
    }
}

extension SourceTexts {
    /// Whether the files say the same, wherever they lie.
    package func isSame(as other: SourceTexts) -> Bool { files.map(\.text) == other.files.map(\.text) }
}
