import WireBase
import WireConfig
import WireContent
import WireContentContract
import WireHTTP
import WireNetworkContract

extension Corewire {
    /// Content of the server: the section `content`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var content: Content { Content(corewire: self) }

    /// Searches and changes content at the server, and syncs stored modules.
    ///
    /// ```swift
    /// let price = Corewire.ContentField("price")
    /// var query = Corewire.ContentQuery(module: "news")
    /// query.filter = price > 10 && Corewire.ContentField("title").like("sale")
    /// query.sort = [.descending(.createdAt)]
    /// let page = try await corewire.content.search(query)
    /// for instance in page.items { print(instance.id, try instance.values(as: Article.self)) }
    /// ```
    public struct Content: Sendable {
        let corewire: Corewire

        private func perform<Input, Answer>(
            _ call: APICall<Input, Answer, ContentFailureKind>,
            _ input: Input
        ) async throws(CorewireError) -> Answer {
            try await corewire.perform(call, input, in: .content)
        }

        // MARK: Queries

        /// Searches instances.
        @concurrent
        public func search(_ query: ContentQuery, offline: ContentPolicy? = nil) async throws(CorewireError)
            -> ContentPage
        {
            var asked = try query.asked
            asked.policy = offline?.policy
            return ContentPage(try await perform(ContentCalls.search, asked))
        }

        /// Returns an instance by its id at the server.
        @concurrent
        public func instance(_ id: String, locale: String? = nil, offline: ContentPolicy? = nil)
            async throws(CorewireError) -> ContentInstance
        {
            var request = ContentInstanceRequest(id)
            (request.locale, request.policy) = (locale, offline?.policy)
            return ContentInstance(try await perform(ContentCalls.instance, request))
        }

        /// Returns a page of the server's modules, or all of them.
        @concurrent
        public func modules(
            page: Int? = nil,
            limit: Int? = nil,
            withFields: Bool = false,
            offline: ContentPolicy? = nil
        ) async throws(CorewireError) -> ContentPage {
            let paging = try ContentQuery.paging(page, limit, isWhole: page == nil && limit == nil)
            var request = ContentModulesRequest(paging)
            (request.withFields, request.policy) = (withFields, offline?.policy)
            return ContentPage(try await perform(ContentCalls.modules, request))
        }

        // MARK: Changes

        /// Creates an instance at the server; values are encoded as JSON, dates as ISO 8601 text.
        ///
        /// Returns the instance from the server, where the server sends it.
        @concurrent
        @discardableResult
        public func create<Values: Encodable & Sendable>(in module: String, name: String? = nil, values: Values)
            async throws(CorewireError) -> ContentInstance?
        {
            let values = try CodedJSON.object(of: values, named: "content")
            let draft = ContentDraft(module: module, name: name, values: values)
            return changed(try await perform(ContentCalls.create, ContentCreation(draft)))
        }

        /// Changes an instance at the server.
        @concurrent
        @discardableResult
        public func update<Values: Encodable & Sendable>(_ id: String, name: String? = nil, values: Values)
            async throws(CorewireError) -> ContentInstance?
        {
            let values = try CodedJSON.object(of: values, named: "content")
            let draft = ContentDraft(id: id, name: name, values: values)
            return changed(try await perform(ContentCalls.update, ContentChange(of: id, draft)))
        }

        private func changed(_ document: ContentDocument) -> ContentInstance? {
            document.text.isEmpty ? nil : ContentInstance(document)
        }

        /// Deletes an instance at the server.
        @concurrent
        public func remove(_ id: String) async throws(CorewireError) {
            _ = try await perform(ContentCalls.remove, ContentRemoval(id))
        }

        // MARK: Copies

        /// Syncs a module of the file, or all modules; returns the results when the sync is done.
        @concurrent
        @discardableResult
        public func sync(_ module: String? = nil) async throws(CorewireError) -> [ContentSync] {
            try await perform(ContentCalls.sync, ContentSyncRequest(module)).modules.map(ContentSync.init)
        }

        /// Returns the state of the stored modules.
        @concurrent
        public func copies() async throws(CorewireError) -> [ContentCopy] {
            try await perform(ContentCalls.copies, ContentCopiesRequest()).modules.map(ContentCopy.init)
        }
    }

    /// The offline policy of one request.
    public enum ContentPolicy: Sendable, Hashable {
        /// Does not use or store data.
        case serverOnly
        /// Uses the server first, and stored data where the server is not reachable.
        case serverThenStored
        /// Uses stored data only; sends no request.
        case storedOnly

        fileprivate var policy: OfflinePolicy {
            switch self {
            case .serverOnly: .none
            case .serverThenStored: .loadAndStoreLocalData
            case .storedOnly: .returnLocalDataDontLoad
            }
        }
    }
}

extension Area {
    static let content = Area(section: ContentSection.name, help: "add the section 'content'")
}
