import WireConfig

/// The keys of an AeroGear file as JSON Schema.
enum AeroGearSchema {
    static var value: Dialect.Schema {
        Dialect.Schema(
            sign: "services",
            properties: [
                ("version", version),
                ("clusterName", text("The cluster the file was made by.")),
                ("namespace", text("The namespace in the cluster.")),
                ("clientId", text("The client in the namespace.")),
                ("services", services), ("https", https),
            ]
        )
    }

    private static let version = JSONValue.members([
        "description": .string("The version of the file: 1, as a number or as text."),
        "anyOf": .array([
            .members(["const": .integer(1)]),
            .members(["type": .string("string"), "pattern": .string("^1(\\.0+){0,2}$")]),
            .members(["type": .string("null")]),
        ]),
    ])

    private static var services: JSONValue {
        .members([
            "description": .string("The services: a list, or in the oldest files a mapping of names."),
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
                "id": text("Its id."),
                "name": text("Its name."),
                "type": text("What it is: \(AeroGearRole.allTypes.joined(separator: ", ")), or a type that is kept."),
                "url": .members(["description": .string("Where it is."), "type": .string("string")]),
                "config": .members([
                    "description": .string("Its settings."), "type": .array([.string("object"), .string("null")]),
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

    /// In a list something must say which service it is.
    private static let named = JSONValue.members([
        "anyOf": .array(["type", "name", "id"].map { .members(["required": .array([.string($0)])]) })
    ])

    /// Where a service is that is wired; of others nothing is asked.
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
                        "description": .string("The SHA-256 of its public key (SPKI), in base64."),
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
