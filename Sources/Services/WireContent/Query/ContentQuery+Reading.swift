import WireBase
import WireConfig
package import WireHTTP

/// A query as a request has it, read strictly: what is not understood is refused, not passed over.
extension ContentQuery {
    /// How much a query may name.
    package enum Limits {
        package static let names = 1_000
        package static let nameSize = 256
        package static let sortKeys = 7
    }

    /// Reads the body of a search, which is that of the server's own; `module`, `where`, `whereMeta` and
    /// `segmentWithDevice` are this API's.
    package init(_ members: inout JSONMembers) throws(Problem) {
        if let module = try members.textIfAny("module") { modules = [try Self.name(module, "module", members)] }
        if let name = try members.textIfAny("moduleName") { moduleNames = [try Self.name(name, "moduleName", members)] }
        moduleNames += try Self.names("moduleNames", &members)
        moduleIDs = try Self.names("moduleIds", &members)
        instanceIDs = try Self.names("instanceIds", &members)
        fields = try Self.names("fields", &members)
        relations = try Self.relations(&members)
        values = try Self.filter("searchValues", text: "where", &members)
        meta = try Self.filter("metaSearch", text: "whereMeta", &members)
        tags = try members.objects("segmentTags", ContentTag.read) ?? []
        guard tags.count <= Limits.names else {
            throw members.failure("found more than \(Limits.names)", "segmentTags")
        }
        tagMode = try members.word("segmentMode")
        segmentsByDevice = try members.booleanIfAny("segmentWithDevice")
        let included = try Self.names("include", &members)
        include = included.isEmpty ? nil : included.contains("all") ? .all : .fields(included)
        if let paging = try members.object("pagination", Paging.read) { self.paging = paging }
        if let text = try members.textIfAny("sort") {
            do throws(SortMistake) { sort = try Self.sort(text) } catch { throw members.failure(error.reason, "sort") }
        }
        if let text = try members.textIfAny("locale") {
            guard (try? LanguageTag(parsing: text)) != nil else {
                throw members.failure("found \(text.quoted), expected a language such as en-US", "locale")
            }
            locale = text
        }
    }

    private static func name(_ text: String, _ member: String, _ members: JSONMembers) throws(Problem) -> String {
        guard !text.isEmpty, text.utf8.count <= Limits.nameSize else {
            throw members.failure("expected a name of 1 to \(Limits.nameSize) bytes", member)
        }
        return text
    }

    private static func names(_ member: String, _ members: inout JSONMembers) throws(Problem) -> [String] {
        let names = try members.texts(member) ?? []
        guard names.count <= Limits.names else {
            throw members.failure("found \(names.count), expected \(Limits.names) at most", member)
        }
        for text in names { _ = try name(text, member, members) }
        return names
    }

    private static func relations(_ members: inout JSONMembers) throws(Problem) -> [Relation] {
        let relations = try members.objects("relatedTo") { relation throws(Problem) in
            let field = try name(relation.text("fieldName"), "fieldName", relation)
            let instances = try names("instanceIds", &relation)
            guard !instances.isEmpty else {
                throw relation.failure("expected identifiers of instances, or [\"*\"]", "instanceIds")
            }
            return Relation(field, to: instances.contains("*") ? nil : instances)
        }
        guard relations?.count ?? 0 <= 32 else { throw members.failure("found more than 32", "relatedTo") }
        return relations ?? []
    }

    /// A filter as a tree, or as text.
    private static func filter(_ member: String, text other: String, _ members: inout JSONMembers) throws(Problem)
        -> ContentFilter?
    {
        let tree = try members.object(member) { filter throws(Problem) in try ContentFilter(&filter) }
        guard let text = try members.textIfAny(other) else { return tree }
        guard tree == nil else { throw members.failure("'\(member)' is there as well, expected one of them", other) }
        do throws(FilterExpression.Mistake) {
            return try FilterExpression.filter(text)
        } catch {
            throw members.failure(error.description, other)
        }
    }

    struct SortMistake: Error { let reason: String }

    /// Reads `name asc,createdAt desc`; without a direction it is ascending.
    static func sort(_ text: String) throws(SortMistake) -> [SortKey] {
        var keys: [SortKey] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: " ").map(String.init)
            guard let name = words.first, words.count <= 2 else {
                throw SortMistake(reason: "found \(String(part).quoted), expected a field, and 'asc' or 'desc'")
            }
            let fields = SortField.allCases.map(\.rawValue)
            guard let field = SortField(rawValue: name) else {
                let nearest = Nearest.name(to: name, among: fields).map { ", did you mean \($0.quoted)?" } ?? ""
                throw SortMistake(reason: "found \(name.quoted), servers sort by \(fields.listed())\(nearest)")
            }
            let direction = words.count == 2 ? words[1] : "asc"
            guard direction == "asc" || direction == "desc" else {
                throw SortMistake(reason: "found \(direction.quoted), expected 'asc' or 'desc'")
            }
            guard !keys.contains(where: { $0.field == field }) else {
                throw SortMistake(reason: "\(name.quoted) is there twice")
            }
            keys.append(SortKey(field, descending: direction == "desc"))
        }
        return keys
    }
}

extension ContentTag {
    fileprivate static func read(_ members: inout JSONMembers) throws(Problem) -> ContentTag {
        // The server's own tags have an identifier, which says nothing to a search.
        _ = try members.textIfAny("id")
        return ContentTag(
            try members.text("name"),
            try members.textIfAny("value"),
            type: try members.textIfAny("tagType")
        )
    }
}

extension ContentQuery.Paging {
    fileprivate static func read(_ members: inout JSONMembers) throws(Problem) -> Self {
        Self(
            page: try members.integerIfAny("page", in: pages) ?? 1,
            limit: try members.integerIfAny("limit", in: limits),
            isSkipped: try skip(&members)
        )
    }

    /// To the server it is text; a boolean says the same.
    private static func skip(_ members: inout JSONMembers) throws(Problem) -> Bool {
        switch try members.value("skip") {
        case nil, .null, .boolean(false), .string("false"): return false
        case .boolean(true), .string("true"): return true
        default: throw members.failure("expected \"true\" or \"false\"", "skip")
        }
    }
}

extension Request {
    /// A simple search: `?module=news&where=price > 10&sort=name desc&page=2&limit=20`.
    func contentQuery() throws(Problem) -> ContentQuery {
        var query = ContentQuery()
        if let module = try contentName("module") { query.modules = [module] }
        query.instanceIDs = try list("ids")
        query.fields = try list("fields")
        query.values = try filter("where")
        query.meta = try filter("whereMeta")
        let included = try list("include")
        query.include = included.isEmpty ? nil : included.contains("all") ? .all : .fields(included)
        if let text = try queryText("sort") {
            do throws(ContentQuery.SortMistake) {
                query.sort = try ContentQuery.sort(text)
            } catch {
                throw .contentQuery("sort", error.reason)
            }
        }
        query.paging = try contentPaging()
        if let text = try queryText("locale") {
            guard (try? LanguageTag(parsing: text)) != nil else {
                throw .contentQuery("locale", "found \(text.quoted), expected a language such as en-US")
            }
            query.locale = text
        }
        return query
    }

    func contentPaging() throws(Problem) -> ContentQuery.Paging {
        ContentQuery.Paging(
            page: try queryInteger("page", in: ContentQuery.Paging.pages) ?? 1,
            limit: try queryInteger("limit", in: ContentQuery.Paging.limits),
            isSkipped: try queryFlag("skip")
        )
    }

    private func contentName(_ name: String) throws(Problem) -> String? {
        guard let text = try queryText(name) else { return nil }
        guard !text.isEmpty, text.utf8.count <= ContentQuery.Limits.nameSize else {
            throw .contentQuery(name, "expected a name of 1 to \(ContentQuery.Limits.nameSize) bytes")
        }
        return text
    }

    private func list(_ name: String) throws(Problem) -> [String] {
        guard let text = try queryText(name) else { return [] }
        let items = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard items.count <= ContentQuery.Limits.names,
            items.allSatisfy({ !$0.isEmpty && $0.utf8.count <= ContentQuery.Limits.nameSize })
        else { throw .contentQuery(name, "expected names separated by commas") }
        return items
    }

    private func filter(_ name: String) throws(Problem) -> ContentFilter? {
        guard let text = try queryText(name) else { return nil }
        do throws(FilterExpression.Mistake) {
            return try FilterExpression.filter(text)
        } catch {
            throw .contentQuery(name, error.description)
        }
    }
}

extension Problem {
    static func contentQuery(_ name: String, _ detail: String) -> Problem {
        Problem(.badRequest, "invalid-query", "the query is not as expected", detail: "\(name.quoted): \(detail)")
    }
}
