import WireBase
import WireConfig
import WireHTTP
import WireService

/// The server of metrics and of switched-off versions, by the local API.
extension BackendRoutes {
    static let securityOperations = [lookAtMetrics, lookAtVersions, sayOfVersion]

    var securityRoutes: [Route] {
        [
            Route(
                Self.lookAtMetrics,
                .work { request in
                    let metrics = try known().metrics
                    let after = try request.queryInteger("after", in: 0...Int.max) ?? 0
                    let limit = try request.queryInteger("limit", in: 1...MetricsBook.limit) ?? 100
                    let items = try metrics.list(after: after, limit: limit)
                    return .json(.members(["items": .array(items), "last": items.last?["number"]]))
                }
            ),
            Route(
                Self.lookAtVersions,
                .work { _ in
                    let versions = try known().versions
                    let app = try await versions.ownApp()
                    return .json(
                        .members([
                            "app": .string(app.appID),
                            "versions": .array(try versions.versions(of: app).map { $0.told(of: app) }),
                        ])
                    )
                }
            ),
            Route(
                Self.sayOfVersion,
                .work { request in
                    let versions = try known().versions
                    let (name, word) = try request.json { (members) throws(Problem) in try Self.word(&members) }
                    let (app, version) = try await versions.say(word, of: name)
                    let told = version.told(of: app)
                    tell(.version, told)
                    return .json(told)
                }
            ),
        ]
    }

    private static func word(_ members: inout JSONMembers) throws(Problem) -> (String, KnownVersion.Word) {
        let name = try members.text("version")
        guard (1...VersionBook.longestName).contains(name.utf8.count) else {
            throw members.failure("expected 1 to \(VersionBook.longestName) bytes", "version")
        }
        let message = try members.textIfAny("message") ?? ""
        guard message.utf8.count <= VersionBook.longestMessage else {
            throw members.failure("expected at most \(VersionBook.longestMessage) bytes", "message")
        }
        return (name, KnownVersion.Word(isDisabled: try members.boolean("disabled"), message: message))
    }

    // MARK: Described

    private static let version: JSONSchema = .object([
        .required("id", "What the service calls it.", .text),
        .required("version", "The version.", .text),
        .required("appId", "The app it is of.", .text),
        .required("disabled", "Whether it is switched off.", .boolean),
        .required("disabledMessage", "What people are told then.", .text),
        .required("numOfCurrentInstalls", "How many devices have it.", .count()),
        .required("numOfAppLaunches", "How often it was started.", .count()),
        .optional("lastLaunchedAt", "When it was started last.", .text),
    ])

    private static let lookAtMetrics = Operation(
        .get,
        "/v1/backends/metrics",
        "List the messages the metrics service built in has taken, the oldest first.",
        access: .read,
        inputs: [
            .init(.query, "after", "Only what has come after this number.", .integer(in: 0...Int.max)),
            .init(.query, "limit", "How many at most; 100 unless given.", .integer(in: 1...MetricsBook.limit)),
        ],
        answers: [
            .json(
                .object([
                    .required(
                        "items",
                        "The messages.",
                        .array(
                            of: .object([
                                .required("number", "Grows with each message.", .count()),
                                .required("at", "When it came, in milliseconds since 1970.", .moment),
                                .required("message", "As it came.", .anything),
                            ])
                        )
                    ), .optional("last", "The number of the last of them.", .count()),
                ]),
                "The messages."
            ), refusal,
        ]
    )

    private static let lookAtVersions = Operation(
        .get,
        "/v1/backends/versions",
        "Tell what the mobile security service built in knows of the versions of the app.",
        access: .read,
        answers: [
            .json(
                .object([
                    .required("app", "The id of the app.", .text),
                    .required("versions", "Its versions.", .array(of: version)),
                ]),
                "The versions."
            ), refusal,
        ]
    )

    private static let sayOfVersion = Operation(
        .post,
        "/v1/backends/versions",
        "Switch a version of the app off, or on again, as an administrator of the mobile security service does.",
        access: .admin,
        body: .json(
            .object([
                .required("version", "The version.", .text(from: 1, upTo: VersionBook.longestName)),
                .required("disabled", "Whether it is switched off.", .boolean),
                .optional(
                    "message",
                    "What people are told then.",
                    JSONSchema.text(upTo: VersionBook.longestMessage).orNull
                ),
            ])
        ),
        answers: [.json(version, "The version."), refusal]
    )
}
