import WireBase
package import WireHTTP

// A query in JSON, in the format of the server's search; 'module', 'where', 'whereMeta' and 'segmentWithDevice' are
// additions of this API. Once these are resolved, the written JSON is the query for the server.

extension ContentQuery: JSONRecord {
    package static let form = JSONForm<Self>("ContentQuery", "A search for instances.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let moduleHelp = "The module, by its name in the file or at the server."
        if let module = try members.optional("module", \.modules.first, moduleHelp, .name, .example("articles")) {
            modules = [module]
        }
        moduleIDs = try members.names("moduleIds", \.moduleIDs, "The modules, by id at the server.")
        let name = try members.optional("moduleName", \.onlyModuleName, "The module, by its name at the server.", .name)
        moduleNames = try members.names("moduleNames", \.severalModuleNames, "The modules, by name at the server.")
        if let name { moduleNames.insert(name, at: 0) }
        instanceIDs = try members.names("instanceIds", \.instanceIDs, "Only instances with these ids.")
        relations = try members.list("relatedTo", \.relations, "Only instances with references to others.", upTo: 32)
        let treeHelp = "The filter for fields: a tree of {condition, operands} and tests."
        let tree = try members.optional("searchValues", \.values, treeHelp)
        let metaTree = try members.optional("metaSearch", \.meta, "The filter for properties that all instances have.")
        values = try members.filter("where", "'searchValues' as text.", or: tree, "searchValues")
        meta = try members.filter("whereMeta", "'metaSearch' as text.", or: metaTree, "metaSearch")
        fields = try members.names("fields", \.fields, "The fields to return.")
        tags = try members.list("segmentTags", \.tags, "Only content with such tags.", upTo: Limits.names)
        tagMode = try members.optional("segmentMode", \.usedTagMode, "The number of tags that content must match.")
        let deviceHelp = "Whether to add the device's tags; by default as in the file."
        segmentsByDevice = try members.optional("segmentWithDevice", \.segmentsByDevice, deviceHelp)
        let includeHelp = "Fields whose references are resolved; [\"all\"] for all."
        let included = try members.names("include", \.includedFields, includeHelp)
        include = included.isEmpty ? nil : included.contains("all") ? .all : .fields(included)
        paging = try members.optional("pagination", { $0.paging }, "The page to return.") ?? ContentPaging()
        sort =
            try members.optional(
                "sort",
                \.sortOrder,
                "The sort order: name asc,createdAt desc.",
                .example(SortOrder(keys: [ContentQuery.SortKey(.name, descending: false)]))
            )?.keys ?? []
        locale = try members.optional("locale", \.locale, "The language.", .language, .example("en-US"))
        policy = try members.offlinePolicy(\.policy)
    }

    /// The limits of a query.
    package enum Limits {
        package static let names = 1_000
        package static let nameSize = 256
    }

    private var onlyModuleName: String? { moduleNames.count == 1 ? moduleNames[0] : nil }
    private var severalModuleNames: [String] { moduleNames.count > 1 ? moduleNames : [] }
    private var usedTagMode: SegmentationMode? { tags.isEmpty ? nil : tagMode ?? .partial }
    private var sortOrder: SortOrder? { sort.isEmpty ? nil : SortOrder(keys: sort) }

    private var includedFields: [String] {
        switch include {
        case .all: ["all"]
        case .fields(let fields): fields
        case nil: []
        }
    }
}

/// The sort order, as `name asc,createdAt desc`; ascending by default.
private struct SortOrder: PlainText {
    let keys: [ContentQuery.SortKey]

    static var schema: JSONSchema { .text }
    static var placeholder: SortOrder { SortOrder(keys: []) }
    static var valueName: String? { "fields" }

    var plain: String {
        keys.map { "\($0.field.rawValue) \($0.isDescending ? "desc" : "asc")" }.joined(separator: ",")
    }

    static func read(plain text: String) throws(JSONMismatch) -> SortOrder {
        var keys: [ContentQuery.SortKey] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: " ").map(String.init)
            guard let name = words.first, words.count <= 2 else {
                throw JSONMismatch("found \(String(part).quoted), expected a field, and 'asc' or 'desc'", nil)
            }
            let fields = ContentQuery.SortField.allCases.map(\.rawValue)
            guard let field = ContentQuery.SortField(rawValue: name) else {
                let nearest = Nearest.name(to: name, among: fields).map { ", did you mean \($0.quoted)?" } ?? ""
                throw JSONMismatch("found \(name.quoted), expected \(fields.listed())\(nearest)", nil)
            }
            let direction = words.count == 2 ? words[1] : "asc"
            guard direction == "asc" || direction == "desc" else {
                throw JSONMismatch("found \(direction.quoted), expected 'asc' or 'desc'", nil)
            }
            guard !keys.contains(where: { $0.field == field }) else {
                throw JSONMismatch("\(name.quoted) is given twice", nil)
            }
            keys.append(ContentQuery.SortKey(field, descending: direction == "desc"))
        }
        return SortOrder(keys: keys)
    }
}

// MARK: Members

extension Members<ContentQuery> {
    fileprivate mutating func names(
        _ name: String,
        _ get: @escaping @Sendable (ContentQuery) -> [String],
        _ help: String
    ) throws(JSONMismatch) -> [String] {
        try optional(name, { get($0).orNil }, help, .names) ?? []
    }

    fileprivate mutating func list<Element: JSONCodable>(
        _ name: String,
        _ get: @escaping @Sendable (ContentQuery) -> [Element],
        _ help: String,
        upTo limit: Int
    ) throws(JSONMismatch) -> [Element] {
        let elements = try optional(name, { get($0).orNil }, help) ?? []
        guard elements.count <= limit else { throw mismatch("found more than \(limit)", name) }
        return elements
    }

    /// A filter as text, instead of one as a tree.
    fileprivate mutating func filter(_ name: String, _ help: String, or tree: ContentFilter?, _ other: String)
        throws(JSONMismatch) -> ContentFilter?
    {
        let text: String? = try optional(name, { _ in nil }, help)
        guard let text else { return tree }
        guard tree == nil else { throw mismatch("\(other.quoted) is given as well, expected one of them", name) }
        do throws(FilterExpression.Mistake) {
            return try FilterExpression.filter(text)
        } catch {
            throw mismatch(error.description, name)
        }
    }
}

extension JSONRule<String> {
    /// A name of a module, a field or an instance.
    static var name: Self { Self(schema: .text) { brokenName($0) } }

    fileprivate static func brokenName(_ text: String) -> String? {
        (1...ContentQuery.Limits.nameSize).contains(text.utf8.count)
            ? nil : "expected a name of 1 to \(ContentQuery.Limits.nameSize) bytes"
    }

    /// A language tag with an optional region (BCP 47).
    static var language: Self {
        Self(schema: .text(pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")) { text in
            (try? ContentLanguage(parsing: text)) == nil
                ? "found \(text.quoted), expected a language such as en-US" : nil
        }
    }
}

extension JSONRule<[String]> {
    /// A limited list of names.
    static var names: Self {
        Self(schema: .array(of: .text(from: 1, upTo: ContentQuery.Limits.nameSize))) { names in
            names.count > ContentQuery.Limits.names
                ? "found \(names.count), expected \(ContentQuery.Limits.names) at most"
                : names.firstFound { JSONRule<String>.brokenName($0) }
        }
    }
}
