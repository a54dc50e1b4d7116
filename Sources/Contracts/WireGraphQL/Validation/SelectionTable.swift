/// The selections of a document by response level, for the rules about fields of one name.
///
/// Inline fragments are part of the level that they stand in; the fields keep the type that they are selected on.
struct SelectionTable {
    var fields: [Field] = []
    var levels: [Level] = []
    /// The level of each fragment and operation, in the order of the document.
    var fragmentRoots: [Int] = []
    var operationRoots: [Int] = []

    struct Field {
        let node: Syntax.Field
        /// The type that it is selected on, where it is known.
        let parent: String?
        let isOnObject: Bool
        /// The type of the field; nil where it is unknown.
        let type: Schema.TypeReference?
        /// What two fields share whose values have the same form: lists, exclamation marks, and the name of a scalar or
        /// enum.
        let shape: String?
        /// The name and arguments, equal for two fields that read the same.
        let call: String?
        var level: Int?
    }

    struct Level {
        var fields: [Int] = []
        var fragments: [Int] = []
    }
}
