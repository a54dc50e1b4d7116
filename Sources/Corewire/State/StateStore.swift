import WireStateContract

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
        ) async throws(CorewireError) -> StateList<StateUsage> {
            let page = StatePage(prefix: prefix, after: name, limit: limit)
            let found = try await corewire.perform(StateCalls.namespaces, page, in: .state)
            return StateList(elements: found.namespaces.map(StateUsage.init), next: found.next)
        }
    }
}
