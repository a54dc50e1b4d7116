package import WireBase
package import WireConfig

/// AeroGear's `mobile-services.json` in Swift: the services by type and id, and the values that apps read.
///
/// ```swift
/// let services = try MobileServices(json: bytes)
/// let issuer = try services.issuerWithTrailingSlash
/// ```
///
/// Both dialects of the file are supported. A document without a list of services is refused on reading; a missing
/// service or value is reported by the getter that needs it.
package struct MobileServices: Sendable {
    /// All services in the order of the document.
    package let services: [MobileService]
    private let start: String

    /// Reads a document; `name` is for messages.
    package init(json bytes: some Sequence<UInt8>, name: String = "mobile-services.json") throws(MobileServicesError) {
        let (document, root) = try Self.parse(Array(bytes), name)
        var problems: [Diagnostic] = []
        let found = document.aeroGearServices(of: root) { problems.append($0) }
        if let problem = problems.first { throw Self.error(.badServices, problem, name) }
        services = found.map { MobileService($0, of: document) }
        start = name
    }

    private static func parse(_ bytes: [UInt8], _ name: String) throws(MobileServicesError) -> (Document, NodeID) {
        do throws(Unreadable) {
            let source = try TextDecoding.accept(bytes, named: name)
            var builder = DocumentBuilder(source: source, into: Document(), limits: ReadingLimits())
            try JSONReader.read(&builder, source)
            let (document, root, problems) = builder.finish()
            if let problem = problems.first { throw Unreadable(problem) }
            if let root, document.kind(root) == .mapping { return (document, root) }
            throw Unreadable(
                Diagnostic(
                    .serviceList,
                    "expected a mapping with 'services'",
                    at: SourceRange(source, 0..<0)
                )
            )
        } catch {
            throw Self.error(error.problem.code == .serviceList ? .badServices : .unreadable, error.problem, name)
        }
    }

    private static func error(_ code: MobileServicesError.Code, _ problem: Diagnostic, _ name: String)
        -> MobileServicesError
    {
        MobileServicesError(code: code, location: problem.place?.location ?? name, message: problem.message)
    }

    // MARK: Lookup

    /// Returns the services of a type, ignoring case, in the order of the document.
    package func services(ofType type: String) -> [MobileService] {
        services.filter { $0.type.lowercased() == type.lowercased() }
    }

    /// Returns the first service with an id, compared exactly.
    package func service(id: String) -> MobileService? {
        services.first { $0.id == id }
    }

    // MARK: Keycloak

    /// The issuer of tokens: `<auth-server-url>/realms/<realm>`, without a trailing slash.
    package var issuer: String {
        get throws(MobileServicesError) {
            let service = try service(.auth)
            let server = try service.url(.auth, "url")
            var base = server.description
            while base.hasSuffix("/") { base.removeLast() }
            let issuer = "\(base)/realms/\(try service.text(.auth, "realm"))"
            guard server.query == nil, server.fragment == nil, (try? WebURL(parsing: issuer)) != nil else {
                throw service.error(.badValue, "'auth-server-url' and 'realm' do not form a URL")
            }
            return issuer
        }
    }

    /// The issuer with a trailing slash, as in the sample app, ready for `.well-known/openid-configuration`.
    package var issuerWithTrailingSlash: String {
        get throws(MobileServicesError) { try issuer + "/" }
    }

    /// The client id at the identity server: `resource`.
    package var clientID: String {
        get throws(MobileServicesError) { try service(.auth).text(.auth, "clientId") }
    }

    // MARK: Sync

    /// The address of GraphQL queries and mutations.
    package var syncURL: WebURL {
        get throws(MobileServicesError) { try service(.sync).url(.sync, "url") }
    }

    /// The address of GraphQL subscriptions.
    package var webSocketURL: WebURL {
        get throws(MobileServicesError) {
            let service = try service(.sync)
            let url = try service.url(.sync, "webSocketUrl")
            guard ["ws", "wss"].contains(url.scheme) else {
                throw service.error(.badValue, "config.websocketUrl does not begin with 'wss://'")
            }
            return url
        }
    }

    // MARK: Push

    /// The push registry, and the variant for registrations.
    package struct Push: Sendable {
        /// The address of the registry.
        package let url: WebURL
        /// The variant.
        package let variantID: String
        /// The secret of the variant.
        package let variantSecret: Secret<String>
    }

    /// The push registry and its variant: that of iOS, otherwise of Android, otherwise of the web.
    package var push: Push {
        get throws(MobileServicesError) {
            let service = try service(.push)
            return Push(
                url: try service.url(.push, "url"),
                variantID: try service.text(.push, "variantId"),
                variantSecret: Secret(try service.text(.push, "variantSecret"))
            )
        }
    }

    private func service(_ role: AeroGearRole) throws(MobileServicesError) -> MobileService {
        if let service = services.first(where: { $0.role == role }) { return service }
        throw MobileServicesError(
            code: .noService,
            location: start,
            message: "no service of type \(role.types.listed())"
        )
    }
}

extension SourceRange {
    /// File, line and column in the form of compilers.
    var location: String { "\(file.name):\(start.line):\(start.column)" }
}
