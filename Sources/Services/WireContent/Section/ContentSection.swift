package import WireBase
package import WireConfig
package import WireContentContract

/// Content that editors keep on a server, and this machine keeps a copy of: modules and their instances.
package struct ContentSection: Section {
    package static let name = "content"
    package static let summary =
        "Content from a server: modules and their instances, searched, and kept up to date here."
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
            "Where content is; paths such as /module and /instance follow it.",
            or: Self.usualURL,
            .takes(.root),
            .standIn(at: Self.usualURL.text)
        )
        _modules = keys.value(
            "modules",
            "The modules that are kept here in full, by names you choose; others are loaded when asked for.",
            or: Named(),
            .example("{ news: { name: News } }")
        )
        _locale = keys.optional("locale", "The language of the content; all languages when absent.")
        _pageSize = keys.value(
            "pageSize",
            "How many instances a page has, where the request says nothing.",
            or: 50,
            .in(1...1_000)
        )
        _syncEvery = keys.value(
            "syncEvery",
            "How often modules are brought up to date, besides at start and whenever the network returns.",
            or: .seconds(3_600),
            .in(.seconds(60) ... .seconds(30 * 86_400)),
            .example("15m")
        )
        _maxModuleSize = keys.value(
            "maxModuleSize",
            "How large a module that is kept here may be, and any answer of the server.",
            or: .mebibytes(64),
            .in(.mebibytes(1) ... .mebibytes(1_024))
        )
        _maxMemory = keys.value(
            "maxMemory",
            "How much memory the copies of modules may take; those that have no room are read from the disk for each search.",
            or: .mebibytes(128),
            .in(.mebibytes(1) ... .mebibytes(16_384))
        )
        _cache = keys.value("cache", "What is kept of answers to searches.", or: .placeholder)
        _segmentation = keys.optional(
            "segmentation",
            "Which content is meant for this device; all of it when absent.",
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

/// A module that is kept here in full.
package struct ContentModule: Record {
    @Setting package var name: String?
    @Setting package var id: Identifier?
    @Setting package var locale: ContentLanguage?
    @Setting package var syncEvery: Duration?

    package init(_ keys: inout Keys) {
        _name = keys.optional(
            "name",
            "What the server calls it; its name in this file when neither name nor id is given.",
            .example("News")
        )
        _id = keys.optional(
            "id",
            "The identifier the server gave it.",
            .described(excludes: "name"),
            .example("571fb2ff24a60a1b00b5e7d2")
        )
        _locale = keys.optional("locale", "Its language, where it is not that of the section.")
        _syncEvery = keys.optional(
            "syncEvery",
            "How often it is brought up to date, where it is not that of the section.",
            .in(.seconds(60) ... .seconds(30 * 86_400)),
            .example("15m")
        )
    }
}

/// What is kept of answers to searches.
package struct ContentCache: Record {
    @Setting package var maxAge: Duration
    @Setting package var maxSize: ByteCount
    @Setting package var serverMaxAge: Duration?

    package init(_ keys: inout Keys) {
        _maxAge = keys.value(
            "maxAge",
            "How long an answer is used at most.",
            or: .seconds(7 * 86_400),
            .in(.seconds(1) ... .seconds(365 * 86_400))
        )
        _maxSize = keys.value(
            "maxSize",
            "How much is kept; what was not used for longest goes first.",
            or: .mebibytes(64),
            .in(.mebibytes(1) ... .mebibytes(16_384))
        )
        _serverMaxAge = keys.optional(
            "serverMaxAge",
            "How old an answer from the server's own cache may be (header to-cache); the server decides when absent.",
            .in(.zero ... .seconds(30 * 86_400)),
            .example("1d")
        )
    }
}

/// Which content is meant for this device.
package struct Segmentation: Record {
    @Setting package var mode: SegmentationMode
    @Setting package var deviceTags: Bool
    @Setting package var tags: Named<String>

    package init(_ keys: inout Keys) {
        _mode = keys.value("mode", "How many of the tags content must have.", or: .partial)
        _deviceTags = keys.value("deviceTags", "Whether the tags of the section device count.", or: true)
        _tags = keys.value("tags", "More tags, by name.", or: Named(), .example("{ ward: 3B }"))
    }
}
