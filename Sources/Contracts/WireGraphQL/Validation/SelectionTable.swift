/// The selections of a document by response level, for the rules about fields with equal names.
///
/// Inline fragments belong to the level that contains them; fields keep the type they are selected on.
struct SelectionTable {
    var fields: [Field] = []
    var levels: [Level] = []
    /// The level of each fragment and operation, in the order of the document.
    var fragmentRoots: [Int] = []
    var operationRoots: [Int] = []

    struct Field {
        let node: Syntax.Field
        /// The type it is selected on, where known.
        let parent: String?
        let isOnObject: Bool
        /// The type of the field; nil where it is unknown.
        let type: Schema.TypeReference?
        /// The shape of the values, equal for compatible fields: lists, exclamation marks, and the name of a scalar or
        /// enum.
        let shape: String?
        /// The name and arguments, equal for fields that read the same.
        let call: String?
        var level: Int?
    }

    struct Level {
        var fields: [Int] = []
        var fragments: [Int] = []
    }
}
