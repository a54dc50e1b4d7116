import WireBase
import WireConfig
import WireContent
import WireRuntime
import WireService

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

        // MARK: Looking

        /// Searches instances.
        @concurrent
        public func search(_ query: ContentQuery, offline: ContentPolicy? = nil) async throws(CorewireError)
            -> ContentPage
        {
            let asked = try query.asked
            let answer = try await ask { service throws(ContentFailure) in
                try await service.search(asked, policy: offline?.policy)
            }
            return try ContentPage(answer)
        }

        /// One instance, by the identifier the server gave it.
        @concurrent
        public func instance(_ id: String, locale: String? = nil, offline: ContentPolicy? = nil)
            async throws(CorewireError) -> ContentInstance
        {
            let answer = try await ask { service throws(ContentFailure) in
                try await service.instance(id, locale: locale, policy: offline?.policy)
            }
            return try ContentInstance(answer.bytes)
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
            let answer = try await ask { service throws(ContentFailure) in
                try await service.modules(paging, withFields: withFields, policy: offline?.policy)
            }
            return try ContentPage(answer)
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
            let draft = ContentDraft(
                module: module,
                name: name,
                values: try CodedJSON.object(of: values, named: "content")
            )
            return try await changed { service throws(ContentFailure) in try await service.create(draft) }
        }

        /// Changes an instance at the server.
        @concurrent
        @discardableResult
        public func update<Values: Encodable & Sendable>(_ id: String, name: String? = nil, values: Values)
            async throws(CorewireError) -> ContentInstance?
        {
            let draft = ContentDraft(id: id, name: name, values: try CodedJSON.object(of: values, named: "content"))
            return try await changed { service throws(ContentFailure) in try await service.update(id, draft) }
        }

        private func changed(_ change: (ContentService) async throws(ContentFailure) -> [UInt8])
            async throws(CorewireError) -> ContentInstance?
        {
            let bytes = try await ask(change)
            return bytes.isEmpty ? nil : try ContentInstance(bytes)
        }

        /// Removes an instance at the server.
        @concurrent
        public func delete(_ id: String) async throws(CorewireError) {
            try await ask { service throws(ContentFailure) in try await service.delete(id) }
        }

        // MARK: Copies

        /// Brings a module of the file up to date, or all of them; returns when that is done, whatever came of it.
        @concurrent
        @discardableResult
        public func sync(_ module: String? = nil) async throws(CorewireError) -> [ContentSync] {
            try await ask { service throws(ContentFailure) in try await service.sync(module) }.map(ContentSync.init)
        }

        /// How the copies of the modules of the file are.
        @concurrent
        public func copies() async throws(CorewireError) -> [ContentCopy] {
            try await ask { service throws(ContentFailure) in try service.syncStates() }.map(ContentCopy.init)
        }

        private func ask<Answer>(_ work: (ContentService) async throws(ContentFailure) -> Answer)
            async throws(CorewireError) -> Answer
        {
            try await corewire.ask(ContentService.self, in: .content, work)
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
