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
            "Base URL of the content server, to which paths such as /module are appended.",
            or: Self.usualURL,
            .takes(.root),
            .standIn(at: Self.usualURL.text)
        )
        _modules = keys.value(
            "modules",
            "Modules with a local copy, by names you choose; others are loaded on request.",
            or: Named(),
            .example("{ news: { name: News } }")
        )
        _locale = keys.optional("locale", "Language of the content. Default: all languages.")
        _pageSize = keys.value(
            "pageSize",
            "Default number of instances in a page.",
            or: 50,
            .in(1...1_000)
        )
        _syncEvery = keys.value(
            "syncEvery",
            "Interval of syncs, besides at start and when the network returns.",
            or: .seconds(3_600),
            .in(.seconds(60) ... .seconds(30 * 86_400)),
            .example("15m")
        )
        _maxModuleSize = keys.value(
            "maxModuleSize",
            "Maximum size of a local copy, and of a response of the server.",
            or: .mebibytes(64),
            .in(.mebibytes(1) ... .mebibytes(1_024))
        )
        _maxMemory = keys.value(
            "maxMemory",
            "Maximum memory of the copies; copies above the limit are read from disk for each search.",
            or: .mebibytes(128),
            .in(.mebibytes(1) ... .mebibytes(16_384))
        )
        _cache = keys.value("cache", "Cache of search results.", or: .placeholder)
        _segmentation = keys.optional(
            "segmentation",
            "Segmentation of content for this device. Default: all content.",
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
            "Name at the server. Default without 'id': the name in this file.",
            .example("News")
        )
        _id = keys.optional(
            "id",
            "Id at the server.",
            .described(excludes: "name"),
            .example("571fb2ff24a60a1b00b5e7d2")
        )
        _locale = keys.optional("locale", "Language of the content. Default: locale of the section.")
        _syncEvery = keys.optional(
            "syncEvery",
            "Interval of syncs. Default: syncEvery of the section.",
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
            "Maximum age of a result.",
            or: .seconds(7 * 86_400),
            .in(.seconds(1) ... .seconds(365 * 86_400))
        )
        _maxSize = keys.value(
            "maxSize",
            "Maximum size; the least recently used results are removed first.",
            or: .mebibytes(64),
            .in(.mebibytes(1) ... .mebibytes(16_384))
        )
        _serverMaxAge = keys.optional(
            "serverMaxAge",
            "Maximum age in the server's cache (header to-cache). Default: the server decides.",
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
        _mode = keys.value("mode", "Number of tags that content must match.", or: .partial)
        _deviceTags = keys.value("deviceTags", "Whether the tags of the section 'device' are used.", or: true)
        _tags = keys.value("tags", "Further tags, by name.", or: Named(), .example("{ ward: 3B }"))
    }
}
