const words = {
  'no-zip': "This isn't a Petrel export. Choose the zip file that Petrel saved.",
  'no-archive': "This isn't a Petrel export. Choose the zip file that Petrel saved.",
  damaged: 'This file is damaged or was changed. Nothing was imported.',
  'too-large': 'This file unpacks to far more than chats can be. Nothing was imported.',
  newer: 'This file was saved by a newer version of Petrel. Update Petrel, then import it.',
  'other-account':
    'This file is from another account. Sign in to that account to import it. Nothing was imported.',
  'no-room':
    'This device has no room for more. What was imported so far stays: make room, then import the file again.',
  cancelled: 'Stopped. Nothing was imported.',
  stopped: 'Stopped. What was imported so far stays: import the file again to finish.',
} as const

export type ArchiveProblemReason = keyof typeof words

/** Why an import or an export ended, in words for a person. */
export class ArchiveProblem extends Error {
  override name = 'ArchiveProblem'
  readonly reason: ArchiveProblemReason

  constructor(reason: ArchiveProblemReason, cause?: unknown) {
    super(words[reason], { cause })
    this.reason = reason
  }
}
