import WireBase
import WireConfig

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
        package enum Reason: String, Sendable {
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

    var json: JSONValue {
        .members([
            "environment": environment.map(JSONValue.string),
            "setAside": setAside.map {
                .members([
                    "generation": .integer($0.generation), "instead": .integer($0.instead),
                    "reason": .string($0.reason.rawValue),
                ])
            },
            "trial": trial.map {
                .members([
                    "generation": .integer($0.generation), "former": .integer($0.former),
                    "end": .integer(Int($0.end)), "starts": .integer($0.starts),
                ])
            },
        ])
    }

    init(_ json: JSONValue) {
        environment = json["environment"]?.string
        if let aside = json["setAside"], let generation = aside["generation"]?.integer,
            let instead = aside["instead"]?.integer, let reason = aside["reason"]?.string.flatMap(SetAside.Reason.init)
        {
            setAside = SetAside(generation: generation, instead: instead, reason: reason)
        }
        if let trial = json["trial"], let generation = trial["generation"]?.integer,
            let former = trial["former"]?.integer, let end = trial["end"]?.integer,
            let starts = trial["starts"]?.integer
        {
            self.trial = Trial(generation: generation, former: former, end: Int64(end), starts: starts)
        }
    }
}

extension SourceTexts {
    /// Whether the files say the same, wherever they lie.
    package func isSame(as other: SourceTexts) -> Bool { files.map(\.text) == other.files.map(\.text) }
}
