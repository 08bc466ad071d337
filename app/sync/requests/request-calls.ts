import type { Session } from '../../../schema/api/auth.ts'
import type { ReportedMessage } from '../../../schema/api/usage.ts'
import type { GroupChange } from '../../../schema/group.ts'
import type { MediaType } from '../../../schema/media.ts'
import type { TimedSettings } from '../../../schema/settings.ts'
import type { OwnUser, ProfileChange } from '../../../schema/user.ts'
import type { OpenFile } from '../../api/caller.ts'

/** The idempotency key of a call. */
export interface Repeatable {
  key: string
  signal: AbortSignal
}

/** A file's server address, and its type as the server detected it. */
export interface Uploaded {
  mediaUrl: string
  type: MediaType
  mimeType: string
  size: number
}

interface UploadedSoFar {
  offset: number
  file?: Uploaded | undefined
}

/** The library calls that may wait for the network. Each rejects with an `ApiError`. */
export interface RequestCalls {
  own: {
    me(): Promise<OwnUser>
    listSessions(): Promise<readonly Session[]>
    updateProfile(change: ProfileChange, options: Repeatable): Promise<unknown>
    updatePicture(picture: Blob, options: Repeatable): Promise<unknown>
    changeSettings(given: Partial<TimedSettings>, options: Repeatable): Promise<TimedSettings>
  }
  users: {
    setBlocked(change: { userId: string; blocked: boolean }, options: Repeatable): Promise<unknown>
    report(
      given: { userId: string; reason: string; messages?: readonly ReportedMessage[] },
      options: Repeatable,
    ): Promise<unknown>
  }
  groups: {
    change(
      asked: { groupId: string; change: GroupChange; seenUpTo?: number; picture?: Blob },
      options: Repeatable,
    ): Promise<unknown>
    join(code: string, options: Repeatable): Promise<unknown>
    answerRequest(
      asked: { groupId: string; userId: string; isAccepted: boolean },
      options: Repeatable,
    ): Promise<unknown>
    revokeInvite(groupId: string, options: Repeatable & { code: string }): Promise<unknown>
  }
  messages: {
    forward(
      asked: { messageId: string; recipientIds: readonly string[] },
      options: Repeatable,
    ): Promise<unknown>
    upload(given: { file: Blob; filename: string }, options: Repeatable): Promise<Uploaded>
    beginUpload(
      given: { uploadId: string; size: number; filename: string },
      options: Pick<Repeatable, 'signal'>,
    ): Promise<UploadedSoFar>
    continueUpload(
      given: { uploadId: string; offset: number; bytes: Blob },
      options: Pick<Repeatable, 'signal'>,
    ): Promise<UploadedSoFar>
    endUpload(uploadId: string, options: Pick<Repeatable, 'signal'>): Promise<unknown>
    findMissingUploads(
      uploads: readonly { id: string; mediaUrl: string }[],
      options: Pick<Repeatable, 'signal'>,
    ): Promise<string[]>
    download(
      given: { mediaUrl: string; size?: number | undefined; open?: OpenFile | undefined },
      options?: Partial<Repeatable>,
    ): Promise<Blob>
  }
}
