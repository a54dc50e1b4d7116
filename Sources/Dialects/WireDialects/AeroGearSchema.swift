import WireConfig

/// The JSON Schema of AeroGear files.
enum AeroGearSchema {
    static var value: Dialect.Schema {
        Dialect.Schema(
            sign: "services",
            properties: [
                ("version", version),
                ("clusterName", text("Cluster that has created the file.")),
                ("namespace", text("Namespace in the cluster.")),
                ("clientId", text("Client in the namespace.")),
                ("services", services), ("https", https),
            ]
        )
    }

    private static let version = JSONValue.members([
        "description": .string("Version of the file: 1, as a number or as text."),
        "anyOf": .array([
            .members(["const": .integer(1)]),
            .members(["type": .string("string"), "pattern": .string("^1(\\.0+){0,2}$")]),
            .members(["type": .string("null")]),
        ]),
    ])

    private static var services: JSONValue {
        .members([
            "description": .string("Services: a list, or in the oldest files a mapping of names."),
            "anyOf": .array([
                .members(["type": .string("array"), "items": .members(["allOf": .array([service, named])])]),
                .members(["type": .string("object"), "additionalProperties": service, "minProperties": .integer(1)]),
            ]),
        ])
    }

    private static var service: JSONValue {
        .members([
            "type": .string("object"),
            "properties": .members([
                "id": text("Id of the service."),
                "name": text("Name of the service."),
                "type": text(
                    "Type: \(AeroGearRole.allTypes.joined(separator: ", ")), or another type, which is only kept."
                ),
                "url": .members(["description": .string("Address of the service."), "type": .string("string")]),
                "config": .members([
                    "description": .string("Settings."), "type": .array([.string("object"), .string("null")]),
                ]),
            ]),
            "required": .array([.string("url")]),
            "if": .members([
                "properties": .members([
                    "type": .members(["enum": .array(AeroGearRole.allTypes.map(JSONValue.string))])
                ]),
                "required": .array([.string("type")]),
            ]),
            "then": .members(["properties": .members(["url": address])]),
        ])
    }

    /// An item of a list needs a member that identifies the service.
    private static let named = JSONValue.members([
        "anyOf": .array(["type", "name", "id"].map { .members(["required": .array([.string($0)])]) })
    ])

    /// The address of a service that is used; other services need none.
    private static var address: JSONValue {
        .members([
            "anyOf": .array([
                .members([
                    "type": .string("string"), "pattern": AddressTerms.endpoint.textForm.pattern.map(JSONValue.string),
                ]),
                .members(["$ref": .string("#/definitions/reference")]),
            ])
        ])
    }

    private static var https: JSONValue {
        let pins = JSONValue.members([
            "type": .array([.string("array"), .string("null")]),
            "items": .members([
                "type": .string("object"),
                "properties": .members([
                    "host": .members(["type": .string("string")]),
                    "certificateHash": .members([
                        "description": .string("SHA-256 of the public key (SPKI), in base64."),
                        "type": .string("string"),
                    ]),
                ]),
                "required": .array([.string("host"), .string("certificateHash")]),
            ]),
        ])
        return .members([
            "description": .string("Certificate pins."),
            "anyOf": .array([
                pins,
                .members(["type": .string("object"), "properties": .members(["certificatePins": pins])]),
            ]),
        ])
    }

    private static func text(_ description: String) -> JSONValue {
        .members([
            "description": .string(description),
            "type": .array(["string", "number", "boolean", "null"].map(JSONValue.string)),
        ])
    }
}
