/** `EX_CONFIG` of sysexits.h: only an operator can mend it, and starting again would end in the same way. */
export const settingsExitCode = 78
