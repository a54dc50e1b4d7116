import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireSecrets

/// The administration of applications and variants; those of the services file are changed in the file.
struct UnifiedPushAdministration: Sendable {
    let context: PushRequestContext
    let shown: UnifiedPushApplications

    private var catalog: UnifiedPushCatalog { UnifiedPushCatalog(context: context) }

    private static func declared(_ what: String) -> EmbeddedError {
        EmbeddedError.unifiedPush(.badRequest, "The services file declares \(what)")
    }

    // MARK: Applications

    func makeApplication(_ request: Request) async throws -> Response {
        let order = try UnifiedPushRegistry.json(request, ApplicationOrder.init)
        return try await context.line.alone {
            let id = try order.id ?? context.machine.uuid()
            guard try await catalog.find(id) == nil else {
                throw EmbeddedError.unifiedPush(.conflict, "An application with this 'pushApplicationID' exists")
            }
            let secret = try order.secret ?? context.machine.uuid()
            let application = PushApplication(
                id: id,
                name: order.name,
                description: order.description,
                secret: Secret(secret)
            )
            try await catalog.keep(application)
            return Self.created(try await shown.json(application, isNew: true), request, id)
        }
    }

    private static func created(_ json: JSONValue, _ request: Request, _ id: String) -> Response {
        var response = Response.json(json, status: .created)
        let path = request.target.path
        response.fields.add("Location", (path.hasSuffix("/") ? path : path + "/") + id.queryEscaped)
        return response
    }

    func changeApplication(_ id: String, _ request: Request) async throws -> Response {
        let order = try UnifiedPushRegistry.json(request, ApplicationOrder.init)
        return try await context.line.alone {
            var application = try await catalog.application(id)
            (application.name, application.description) = (order.name, order.description)
            try await catalog.keep(application)
            return Response(.noContent)
        }
    }

    func removeApplication(_ id: String) async throws -> Response {
        try await context.line.alone {
            let application = try await catalog.application(id)
            guard !application.isOfFile else { throw Self.declared("this application") }
            try await catalog.remove(application)
            return Response(.noContent)
        }
    }

    /// Creates a new master secret and returns it this once.
    func resetApplication(_ id: String) async throws -> Response {
        try await context.line.alone {
            var application = try await catalog.application(id)
            guard !application.isOfFile || context.account.declaredSecret == nil else {
                throw Self.declared("the master secret of this application")
            }
            application.secret = Secret(try context.machine.uuid())
            try await catalog.keep(application)
            return .json(try await shown.json(application, isNew: true))
        }
    }

    // MARK: Variants

    func makeVariant(_ application: String, _ kind: PushVariant.Kind, _ request: Request) async throws -> Response {
        let order = try VariantOrder.read(request, kind, isNew: true)
        return try await context.line.alone {
            let application = try await catalog.application(application).id
            var variant = PushVariant(
                id: try context.machine.uuid(),
                application: application,
                name: order.name,
                kind: kind,
                secret: Secret(try context.machine.uuid())
            )
            order.change(&variant)
            if kind == .webPush, !variant.details.contains(where: { $0.key == "publicKey" }) {
                try renewKey(of: &variant)
            }
            try await catalog.keep(variant)
            return Self.created(UnifiedPushApplications.json(variant, isNew: true), request, variant.id)
        }
    }

    /// Changes a variant by the body and returns it.
    func changeVariant(
        _ id: String,
        _ application: String,
        _ kind: PushVariant.Kind,
        _ request: Request
    ) async throws -> PushVariant {
        let order = try VariantOrder.read(request, kind, isNew: false)
        return try await edit(id, application, kind) { order.change(&$0) }
    }

    func removeVariant(_ id: String, _ application: String, _ kind: PushVariant.Kind) async throws -> Response {
        try await context.line.alone {
            let variant = try await shown.variant(id, application, kind)
            guard !variant.isOfFile else { throw Self.declared("this variant") }
            try await catalog.remove(variant)
            return Response(.noContent)
        }
    }

    /// Creates a new secret and returns it this once.
    func resetVariant(_ id: String, _ application: String, _ kind: PushVariant.Kind) async throws -> Response {
        let secret = try context.machine.uuid()
        let variant = try await edit(id, application, kind) { $0.secret = Secret(secret) }
        return .json(UnifiedPushApplications.json(variant, isNew: true))
    }

    /// Creates a new key for signing web pushes (VAPID, RFC 8292).
    func renewVariant(_ id: String, _ application: String) async throws -> Response {
        .json(UnifiedPushApplications.json(try await edit(id, application, .webPush, renewKey)))
    }

    private func renewKey(of variant: inout PushVariant) throws {
        guard let point = try context.machine.signatures.makeKey(for: .es256).publicKey.point else {
            throw EmbeddedError.unifiedPush(.internalError, "No key can be created")
        }
        variant.details.removeAll { $0.key == "publicKey" }
        variant.details.append(("publicKey", .string(Base64URL.text(of: point))))
    }

    private func edit(
        _ id: String,
        _ application: String,
        _ kind: PushVariant.Kind,
        _ change: @Sendable @escaping (inout PushVariant) throws -> Void
    ) async throws -> PushVariant {
        try await context.line.alone {
            var variant = try await shown.variant(id, application, kind)
            guard !variant.isOfFile else { throw Self.declared("this variant") }
            try change(&variant)
            try await catalog.keep(variant)
            return variant
        }
    }
}
