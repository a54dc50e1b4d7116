package import WireBase
package import WireConfig
package import WireContentContract

/// The section `content`: modules and instances that editors manage at a server, with local copies.
package struct ContentSection: Section {
    package static let name = "content"
    package static let summary =
        "Content from a server: modules and their instances, with search and local copies."
    package static let codes = Code.contentCodes
    package static let asks: Set<Provision.Kind> = [.requests, .schedules]

    @Setting package var url: Address
    @Setting package var modules: Named<ContentModule>
    @Setting package var locale: ContentLanguage?
    @Setting package var pageSize: Int
    @Setting package var syncEvery: Duration
    @Setting package var maxModuleSize: ByteCount
    @Setting package var maxMemory: ByteCount
    @Setting package var cache: ContentCache
    @Setting package var segmentation: Segmentation?
    @Setting package var authenticated: Bool

    package init(_ keys: inout Keys) {
        _url = keys.value(
            "url",
            "The base URL of the content server; paths such as /module and /instance follow it.",
            or: Self.usualURL,
            .takes(.root),
            .standIn(at: Self.usualURL.text)
        )
        _modules = keys.value(
            "modules",
            "The modules with a local copy, by names you choose; others are loaded on request.",
            or: Named(),
            .example("{ news: { name: News } }")
        )
        _locale = keys.optional("locale", "The language of the content; all languages when absent.")
        _pageSize = keys.value(
            "pageSize",
            "The default number of instances in a page.",
            or: 50,
            .in(1...1_000)
        )
        _syncEvery = keys.value(
            "syncEvery",
            "The interval of syncs, besides at start and when the network returns.",
            or: .seconds(3_600),
            .in(.seconds(60) ... .seconds(30 * 86_400)),
            .example("15m")
        )
        _maxModuleSize = keys.value(
            "maxModuleSize",
            "The maximum size of a copy, and of a response of the server.",
            or: .mebibytes(64),
            .in(.mebibytes(1) ... .mebibytes(1_024))
        )
        _maxMemory = keys.value(
            "maxMemory",
            "The memory limit of the copies; copies above it are read from the disk for each search.",
            or: .mebibytes(128),
            .in(.mebibytes(1) ... .mebibytes(16_384))
        )
        _cache = keys.value("cache", "The cache of search results.", or: .placeholder)
        _segmentation = keys.optional(
            "segmentation",
            "The segmentation of content for this device; all content when absent.",
            .example("{ mode: total }")
        )
        _authenticated = keys.value(
            "authenticated",
            "Whether requests carry a token of the signed-in user or the app.",
            or: true
        )
    }

    static let usualURL = Address(known: "api/generalcontent")
}

/// A module with a local copy.
package struct ContentModule: Record {
    @Setting package var name: String?
    @Setting package var id: Identifier?
    @Setting package var locale: ContentLanguage?
    @Setting package var syncEvery: Duration?

    package init(_ keys: inout Keys) {
        _name = keys.optional(
            "name",
            "The name at the server; the name in this file when neither name nor id is given.",
            .example("News")
        )
        _id = keys.optional(
            "id",
            "The id at the server.",
            .described(excludes: "name"),
            .example("571fb2ff24a60a1b00b5e7d2")
        )
        _locale = keys.optional("locale", "The language; that of the section when absent.")
        _syncEvery = keys.optional(
            "syncEvery",
            "The interval of syncs; that of the section when absent.",
            .in(.seconds(60) ... .seconds(30 * 86_400)),
            .example("15m")
        )
    }
}

/// The cache of search results.
package struct ContentCache: Record {
    @Setting package var maxAge: Duration
    @Setting package var maxSize: ByteCount
    @Setting package var serverMaxAge: Duration?

    package init(_ keys: inout Keys) {
        _maxAge = keys.value(
            "maxAge",
            "The maximum age of a result.",
            or: .seconds(7 * 86_400),
            .in(.seconds(1) ... .seconds(365 * 86_400))
        )
        _maxSize = keys.value(
            "maxSize",
            "The maximum size; the least recently used results go first.",
            or: .mebibytes(64),
            .in(.mebibytes(1) ... .mebibytes(16_384))
        )
        _serverMaxAge = keys.optional(
            "serverMaxAge",
            "The maximum age in the server's own cache (header to-cache); the server decides when absent.",
            .in(.zero ... .seconds(30 * 86_400)),
            .example("1d")
        )
    }
}

/// The segmentation of content for this device.
package struct Segmentation: Record {
    @Setting package var mode: SegmentationMode
    @Setting package var deviceTags: Bool
    @Setting package var tags: Named<String>

    package init(_ keys: inout Keys) {
        _mode = keys.value("mode", "The number of tags that content must match.", or: .partial)
        _deviceTags = keys.value("deviceTags", "Whether the tags of the section 'device' are used.", or: true)
        _tags = keys.value("tags", "Further tags, by name.", or: Named(), .example("{ ward: 3B }"))
    }
}
