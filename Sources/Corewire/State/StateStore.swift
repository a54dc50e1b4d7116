import WireStateContract

extension Corewire {
    /// The state of apps: the section `persistence`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var state: StateStore { StateStore(self) }

    /// Stores values of apps, in namespaces.
    ///
    /// ```swift
    /// let notes = corewire.state["notes"]
    /// let receipt = try await notes.put(json: Note(title: "milk"), under: "shopping")
    /// let note = try await notes.get("shopping", as: Note.self)
    /// try await notes.put(text: "done", under: "shopping", if: .version(receipt.version))
    /// ```
    ///
    /// The rules, limits and environments are those of the services file, and programs that use the socket see the same
    /// values. Holding this value keeps ``Corewire`` alive.
    public struct StateStore: Sendable {
        private let corewire: Corewire

        init(_ corewire: Corewire) {
            self.corewire = corewire
        }

        /// A namespace; whether it is allowed is checked on use.
        public subscript(namespace: String) -> StateNamespace { StateNamespace(name: namespace, corewire: corewire) }

        /// The namespaces in order of their names, with their sizes: a page of at most `limit`, from 1 to 1000.
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
