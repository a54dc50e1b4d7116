import WireContentContract
import WireHTTP

/// The operations of content, for the local API and for code in the same process.
struct ContentRoutes: RouteGroup {
    let service: ContentService

    static let table: [RouteEntry<ContentRoutes>] = [
        .call(ContentCalls.modules) { $0.service.modules },
        .call(ContentCalls.module) { $0.service.module },
        .call(ContentCalls.searchSimply) { $0.service.search },
        .call(ContentCalls.search) { $0.service.search },
        .call(ContentCalls.create) { $0.service.create },
        .call(ContentCalls.instance) { $0.service.instance },
        .call(ContentCalls.update) { $0.service.update },
        .call(ContentCalls.remove) { $0.service.remove },
        .call(ContentCalls.batch) { $0.service.batch },
        .call(ContentCalls.copies) { $0.service.copies },
        .call(ContentCalls.sync) { $0.service.sync },
    ]
}
