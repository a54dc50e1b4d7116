import WireBase
import WireHTTP

/// What the body of a change says.
struct ChangeWish {
    var environment: String?
    var generation: Int?
    var isForced = false
    var confirmWithin: Duration?

    /// Every kind of change reads the members that mean something for it, and refuses the others.
    init(_ request: Request, naming target: Target) throws(Problem) {
        // Without a body nothing is wished but the change itself, which only a switch has to say more of.
        if request.body.isEmpty, target != .environment { return }
        self = try request.json { (members) throws(Problem) in
            var wish = ChangeWish()
            switch target {
            case .file: break
            case .environment: wish.environment = try members.text("environment")
            case .anything:
                wish.environment = try members.textIfAny("environment")
                wish.generation = try members.integerIfAny("generation", in: Self.generations)
                if wish.environment != nil, wish.generation != nil {
                    throw members.failure("'environment' is there as well, expected one of them", "generation")
                }
            }
            wish.isForced = try members.booleanIfAny("force") ?? false
            wish.confirmWithin = try members.integerIfAny("confirmWithinSeconds", in: Self.seconds).map { .seconds($0) }
            return wish
        }
    }

    private init() {}

    enum Target { case file, environment, anything }

    static let generations = 1...Int(Int32.max)
    private static let seconds = 1...86_400

    /// The body of a change, for the API's description.
    static func schema(_ target: Target) -> JSONSchema {
        let force = JSONSchema.Member.optional("force", "Make anew what is the same.", .boolean.orNull)
        let confirm = JSONSchema.Member.optional(
            "confirmWithinSeconds",
            "Take it back unless somebody confirms it within so long.",
            .integer(in: seconds).orNull
        )
        switch target {
        case .file: return .object([force, confirm]).named("Change")
        case .environment:
            let name = "An environment of the file, or the URL of one it does not declare."
            return .object([.required("environment", name, .text), force, confirm]).named("Switch")
        case .anything:
            return .object([
                .optional("environment", "What a switch to it would do.", .text.orNull),
                .optional(
                    "generation",
                    "What a rollback to it would do; not together with 'environment'.",
                    .integer(in: generations).orNull
                ),
                force, confirm,
            ]).named("PlannedChange")
        }
    }
}
