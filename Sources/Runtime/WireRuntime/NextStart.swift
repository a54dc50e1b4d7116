import WireBase
package import WireHTTP

/// The decisions of users for the next start, stored per app.
package struct NextStart: Sendable, Equatable {
    /// The environment that was chosen while the runner ran.
    package var environment: String?
    /// A file that is not used again until it changes or a reload is requested.
    package var setAside: SetAside?
    /// A generation that is rolled back unless it is confirmed, even across a restart.
    package var trial: Trial?

    /// The generation of the rejected file, and the generation that runs instead.
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
        /// The deadline in milliseconds since 1970.
        package var end: Int64
        /// The number of starts with the trial.
        package var starts: Int
        /// The maximum number of starts before a rollback, because the trial may cause the process to end.
        package static let most = 3
    }

    package init() {}
}

extension NextStart.SetAside {
    /// Why the file is not in effect, as a message.
    package var text: String {
        let why =
            switch reason {
            case .rolledBack: "rolled back to generation \(instead)"
            case .notConfirmed: "the change was not confirmed"
            }
        return "\(why); run 'corewire reload' to use the file again"
    }
}

extension NextStart {
    /// The generations that must stay stored.
    var generations: Set<Int> {
        Set([setAside?.generation, setAside?.instead, trial?.generation, trial?.former].compactMap { $0 })
    }
}

extension NextStart: JSONRecord {
    package static let form = JSONForm<Self>("NextStart", "The decisions for the next start.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        environment = try members.optional("environment", \.environment, "The chosen environment.")
        setAside = try members.optional("setAside", \.setAside, "A file that is not used again.")
        trial = try members.optional("trial", \.trial, "A generation that waits for confirmation.")
    }
}

extension NextStart.SetAside: JSONRecord {
    package static let form = JSONForm<Self>("FileSetAside", "A file that is not used again.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        generation = try members.required("generation", \.generation, "The generation of the file.")
        instead = try members.required("instead", \.instead, "The generation that runs instead.")
        reason = try members.required("reason", \.reason, "The reason.")
    }
}

extension NextStart.Trial: JSONRecord {
    package static let form = JSONForm<Self>("GenerationTrial", "A generation that waits for confirmation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        generation = try members.required("generation", \.generation, "The number of the generation.")
        former = try members.required("former", \.former, "The previous generation.")
        end = try members.required("end", \.end, "The deadline of the rollback.")
        starts = try members.required("starts", \.starts, "The number of starts with it.")
    }
}

extension SourceTexts {
    /// Whether the contents are equal, independent of the file names.
    package func isSame(as other: SourceTexts) -> Bool { files.map(\.text) == other.files.map(\.text) }
}
