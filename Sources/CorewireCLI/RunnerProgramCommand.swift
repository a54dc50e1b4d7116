/// A command that the runner's program executes, since it needs libraries that other commands do not.
package enum RunnerProgramCommand: Sendable {
    case run, receive, doctor, pin, signIn, refuseToken, registerScheme, sendPush, vapidKey, migrateStore, storeStatus,
        exportStore,
        importStore
    /// `validate-config` with `--local` or `--online`.
    case checkFile
}
