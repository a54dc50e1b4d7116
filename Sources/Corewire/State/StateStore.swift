import WireBase
import WirePersistence
import WireRuntime
import WireStore

extension Corewire {
    /// What apps store: the values of the section `persistence`, as the local API has them.
    ///
    /// Always answered by the generation that runs, so it stays good over reloads and switches of the environment.
    public var state: StateStore { StateStore(self) }

    /// What apps store, in namespaces.
    ///
    /// ```swift
    /// let notes = corewire.state["notes"]
    /// let receipt = try await notes.put(json: Note(title: "milk"), under: "shopping")
    /// let note = try await notes.get("shopping", as: Note.self)
    /// try await notes.put(text: "done", under: "shopping", if: .version(receipt.version))
    /// ```
    ///
    /// Rules, limits and environments are those of the services file, and programs that ask over the socket see the same
    /// values. Who holds it holds ``Corewire`` as well.
    public struct StateStore: Sendable {
        private let corewire: Corewire

        init(_ corewire: Corewire) {
            self.corewire = corewire
        }

        /// A part of the store with a name of its own; whether it may be used is found when it is.
        public subscript(namespace: String) -> StateNamespace { StateNamespace(name: namespace, corewire: corewire) }

        /// The namespaces in the order of their names, with what they hold: a page of at most `limit`, from 1 to 1000.
        @concurrent
        public func namespaces(
            prefix: String = "",
            after name: String? = nil,
            limit: Int = 100
        ) async throws(StateError) -> StateList<StateUsage> {
            let page = try StatePage.asked(prefix, name, limit)
            let found = try await corewire.ask { service throws(StateFailure) in try service.namespaces(page) }
            let summaries = found.namespaces.map { StateUsage($0.area, $0.usage) }
            return StateList(elements: summaries, next: found.isMore ? summaries.last?.namespace : nil)
        }
    }

    /// Asks the service that keeps what apps store, in the generation that runs.
    func ask<Answer>(
        _ work: (PersistenceService) async throws(StateFailure) -> Answer
    ) async throws(StateError) -> Answer {
        guard !runner.isStopping else { throw StateError.stopped }
        let answer: Answer?
        do throws(StateFailure) {
            answer = try await runner.ask(PersistenceService.self, work)
        } catch {
            throw StateError(error)
        }
        guard let answer else { throw StateError(withoutServiceIn: runner.status) }
        return answer
    }
}

extension StatePage {
    /// Throws for a page that is larger or smaller than there are.
    static func asked(_ prefix: String, _ after: String?, _ limit: Int) throws(Corewire.StateError) -> StatePage {
        guard limits.contains(limit) else {
            throw Corewire.StateError(
                .badLimit,
                "found a page of \(limit), expected \(limits.lowerBound) to \(limits.upperBound)"
            )
        }
        return StatePage(prefix: prefix, after: after, limit: limit)
    }
}
