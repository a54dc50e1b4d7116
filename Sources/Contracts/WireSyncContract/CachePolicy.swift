import WireConfig
import WireHTTP

/// How a query uses the cache.
package enum CachePolicy: String, Choice {
    case cacheFirst, cacheAndNetwork, networkFirst, networkOnly, cacheOnly, noCache

    package var help: String {
        switch self {
        case .cacheFirst: "the cache, and the server on a miss (returnCacheDataElseFetch)"
        case .cacheAndNetwork: "the cache, then the server as well (returnCacheDataAndFetch)"
        case .networkFirst: "the server, and the cache where it fails"
        case .networkOnly: "the server; the response is stored (fetchIgnoringCacheData)"
        case .cacheOnly: "the cache, never the server (returnCacheDataDontFetch)"
        case .noCache: "the server; nothing is stored (fetchIgnoringCacheCompletely)"
        }
    }
}

extension CachePolicy: JSONWord, PlainCodable {
    package static var placeholder: Self { .cacheFirst }
}
