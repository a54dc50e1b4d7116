import WireBase
import WireConfig
import WireContent
import WireContentContract
import WireHTTP
import WireNetworkContract

extension Corewire {
    /// Content of the server: the section `content`, as the local API has it.
    ///
    /// Always answered by the generation that runs, so it stays good over reloads and switches of the environment.
    public var content: Content { Content(corewire: self) }

    /// Modules and their instances, searched and changed at the server, and kept up to date here.
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

        // MARK: Looking

        /// Searches instances.
        @concurrent
        public func search(_ query: ContentQuery, offline: ContentPolicy? = nil) async throws(CorewireError)
            -> ContentPage
        {
            var asked = try query.asked
            asked.policy = offline?.policy
            return ContentPage(try await perform(ContentCalls.search, asked))
        }

        /// One instance, by the identifier the server gave it.
        @concurrent
        public func instance(_ id: String, locale: String? = nil, offline: ContentPolicy? = nil)
            async throws(CorewireError) -> ContentInstance
        {
            var request = ContentInstanceRequest(id)
            (request.locale, request.policy) = (locale, offline?.policy)
            return ContentInstance(try await perform(ContentCalls.instance, request))
        }

        /// A page of the server's modules; all of them where no page is named.
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

        // MARK: Changing

        /// Makes an instance at the server; its values are written as JSON, dates as text as in ISO 8601.
        ///
        /// Answers the instance as the server has it, where the server tells.
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

        /// Removes an instance at the server.
        @concurrent
        public func remove(_ id: String) async throws(CorewireError) {
            _ = try await perform(ContentCalls.remove, ContentRemoval(id))
        }

        // MARK: Copies

        /// Brings a module of the file up to date, or all of them; returns when that is done, with what came of it.
        @concurrent
        @discardableResult
        public func sync(_ module: String? = nil) async throws(CorewireError) -> [ContentSync] {
            try await perform(ContentCalls.sync, ContentSyncRequest(module)).modules.map(ContentSync.init)
        }

        /// How the copies of the modules of the file are.
        @concurrent
        public func copies() async throws(CorewireError) -> [ContentCopy] {
            try await perform(ContentCalls.copies, ContentCopiesRequest()).modules.map(ContentCopy.init)
        }
    }

    /// What stored data are for, for one request.
    public enum ContentPolicy: Sendable, Hashable {
        /// Nothing is stored, and nothing that is stored is given.
        case serverOnly
        /// The server is asked first; what is stored is given where it cannot be reached.
        case serverThenStored
        /// Nothing leaves this machine.
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
    static let content = Area(section: ContentSection.name, help: "add the section 'content' to have content")
}
