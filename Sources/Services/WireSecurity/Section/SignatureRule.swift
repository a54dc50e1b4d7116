import WireBase
package import WireConfig
import WireSecurityContract
import WireService

/// A services file that is not signed with the required key.
package struct SignatureRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var key: SignerKey
    @Setting package var file: InputFile?

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .critical, "MASVS-RESILIENCE-2")
        _key = keys.required(
            "key",
            "Ed25519 public key of the signer: 32 bytes in base64.",
            .example(SignerKey.textForm.example)
        )
        _file = keys.optional(
            "file",
            "Path of the signature. Default: the path of the services file with .sig appended.",
            .example("/etc/tasks/services.sig")
        )
    }

    var search: SecuritySearch { SecuritySearch(items: [key.text], places: [$key]) }
}

/// An Ed25519 public key.
package struct SignerKey: Sendable, Hashable {
    /// The key in base64.
    package let text: String
    /// Its 32 bytes.
    package let bytes: [UInt8]
}

extension SignerKey: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "an Ed25519 public key in base64",
            example: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
            pattern: "^[A-Za-z0-9+/]{43}=$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        guard let bytes = Base64.bytes(of: text), bytes.count == 32 else {
            throw Misread(help: "use the last 32 bytes of 'openssl pkey -pubout -outform DER', in base64")
        }
        self.init(text: text, bytes: bytes)
    }

    package var description: String { text }
}
