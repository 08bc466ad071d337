import * as z from 'zod/mini'
import { messagesDeleted, uploadEnded } from '../../schema/api/done-answers.ts'
import {
  type MessageAnswer,
  type MessageStatusAnswer,
  messageAnswer,
  messageStatusAnswer,
  type StatusHistoryAnswer,
  statusHistoryAnswer,
} from '../../schema/api/message-answer.ts'
import type { sendMessage } from '../../schema/api/send-message.ts'
import { limitUploadMs } from '../../schema/api/wire.ts'
import { limits } from '../../schema/limits.ts'
import { type FetchedLink, fetchedLink } from '../../schema/link-preview.ts'
import { missingUploads, uploadedFile, uploadSoFar } from '../../schema/media.ts'
import { ApiError, requireInput } from './api-error.ts'
import { type Caller, type CallOptions, type OpenFile, orWhenMissing } from './caller.ts'

export type UploadedFile = z.infer<typeof uploadedFile>

/** How many bytes the server has stored; `file` appears once all are. */
export type UploadSoFar = z.infer<typeof uploadSoFar>

/** The newest 50 when absent; `before`: those older than the message with this id. */
export interface Page {
  before?: string
  /** 1 to 200. */
  limit?: number
}

const messages = z.array(messageAnswer)
const needsId = 'Message ID is required'
const at = (messageId: string) => `/messages/${encodeURIComponent(messageId)}`
const uploadAt = (uploadId: string) => `/messages/uploads/${encodeURIComponent(uploadId)}`

/** Messages, single and in lists. The app itself replicates them; this is for programs. */
export function createMessageCalls(call: Caller) {
  return {
    /** What the page behind an address says of itself; null when it says nothing. */
    async previewLink(url: string, options?: CallOptions): Promise<FetchedLink['page']> {
      const asked = { method: 'POST', path: '/links/preview', body: { url } } as const
      const fallback = 'Failed to fetch the link'
      return (await call({ ...options, ...asked, answer: fetchedLink, fallback })).page
    },

    /** The conversation with this person, oldest first. */
    async list(userId: string, page: Page = {}): Promise<MessageAnswer[]> {
      requireInput(userId, 'User ID is required')
      return await call({
        path: `${at(userId)}${toQuery({ ...page })}`,
        answer: messages,
        fallback: 'Failed to fetch messages',
      })
    },

    async listByPhone(phone: string, page: Page = {}): Promise<MessageAnswer[]> {
      requireInput(phone, 'Phone number is required')
      return await call({
        path: `/messages/phone/${encodeURIComponent(phone)}${toQuery({ ...page })}`,
        answer: messages,
        fallback: 'Failed to fetch messages by phone',
      })
    },

    /** Sends a message. With an `_id` or a key, a repeated call is the same message. */
    async send(
      message: z.input<typeof sendMessage>,
      options?: CallOptions,
    ): Promise<MessageAnswer> {
      requireInput(
        message?.recipientId && (message.content || message.sealed || message.mediaUrl),
        'Missing required message data',
      )
      const isOfChannel = Boolean(message.whatsappData)
      return await call({
        ...options,
        method: 'POST',
        path: '/messages',
        body: message,
        answer: messageAnswer,
        fallback: isOfChannel ? 'Failed to send WhatsApp message' : 'Failed to send message',
      })
    },

    async setStatus(messageId: string, status: 'delivered' | 'read'): Promise<MessageStatusAnswer> {
      requireInput(messageId, needsId)
      return await call({
        method: 'PUT',
        path: `${at(messageId)}/status`,
        body: { status },
        answer: messageStatusAnswer,
        fallback: 'Failed to update message status',
      })
    },

    async getStatus(messageId: string): Promise<MessageStatusAnswer> {
      requireInput(messageId, needsId)
      return await call({
        path: `${at(messageId)}/status`,
        answer: messageStatusAnswer,
        fallback: 'Failed to get message status',
      })
    },

    async getStatusHistory(messageId: string): Promise<StatusHistoryAnswer> {
      requireInput(messageId, needsId)
      return await call({
        path: `${at(messageId)}/status-history`,
        answer: statusHistoryAnswer,
        fallback: 'Failed to get message status history',
      })
    },

    /** With the words sealed for the two people in place of a text, where the message is. */
    async edit(messageId: string, content: string | { sealed: string }): Promise<MessageAnswer> {
      requireInput(messageId, needsId)
      requireInput(content, 'The new content is required')
      return await call({
        method: 'PUT',
        path: at(messageId),
        body: typeof content === 'string' ? { content } : content,
        answer: messageAnswer,
        fallback: 'Failed to edit message',
      })
    },

    async remove(messageId: string): Promise<MessageAnswer> {
      requireInput(messageId, needsId)
      return await call({
        method: 'DELETE',
        path: at(messageId),
        answer: messageAnswer,
        fallback: 'Failed to delete message',
      })
    },

    /** All of them, or none. */
    async removeAll(messageIds: readonly string[]): Promise<void> {
      requireInput(messageIds?.length, 'Choose at least one message')
      await call({
        method: 'POST',
        path: '/messages/delete-bulk',
        body: { messageIds },
        answer: messagesDeleted,
        fallback: 'Failed to delete messages',
      })
    },

    /** One message per person; a refused one is included as `failed`, with its reason. */
    async forward(
      asked: { messageId: string; recipientIds: readonly string[] },
      options?: CallOptions,
    ): Promise<MessageAnswer[]> {
      const { messageId, recipientIds } = asked
      requireInput(messageId, needsId)
      requireInput(recipientIds?.length, 'Choose at least one person')
      const answered = await call({
        ...options,
        method: 'POST',
        path: `${at(messageId)}/forward`,
        body: { recipientIds },
        answer: z.object({ messages }),
        fallback: 'Failed to forward message',
      })
      return answered.messages
    },

    async setStarred(messageId: string, isStarred: boolean): Promise<MessageAnswer> {
      requireInput(messageId, needsId)
      return await call({
        method: 'PUT',
        path: `${at(messageId)}/star`,
        body: { isStarred },
        answer: messageAnswer,
        fallback: 'Failed to star message',
      })
    },

    async setReaction(
      messageId: string,
      emoji: string | { sealed: string },
    ): Promise<MessageAnswer> {
      requireInput(messageId, needsId)
      return await call({
        method: 'PUT',
        path: `${at(messageId)}/reaction`,
        body: typeof emoji === 'string' ? { emoji } : { emoji: '', ...emoji },
        answer: messageAnswer,
        fallback: 'Failed to react to message',
      })
    },

    listStarred: (): Promise<MessageAnswer[]> =>
      call({
        path: '/messages/starred',
        answer: messages,
        fallback: 'Failed to get starred messages',
      }),

    /** Messages with this text, newest first; empty when there are none. */
    search: (asked: { query: string; userId?: string } & Page): Promise<MessageAnswer[]> => {
      const path = `/messages/search${toQuery({ ...asked })}`
      return orWhenMissing(
        call({ path, answer: messages, fallback: 'Failed to search messages' }),
        [],
      )
    },

    /** Uploads a file; `mediaUrl` of the answer goes into a message. */
    async upload(
      given: { file: Blob; filename: string },
      options?: CallOptions,
    ): Promise<UploadedFile> {
      requireInput(given.file, 'A file is required')
      const form = new FormData()
      form.set('file', given.file, given.filename)
      return await call({
        ...options,
        method: 'POST',
        path: '/messages/upload',
        body: form,
        answer: uploadedFile,
        fallback: 'Failed to upload media',
        timeoutMs: limitUploadMs(given.file.size),
      })
    },

    /** Begins an upload in pieces, or asks how much the server has. `uploadId` is a UUID. */
    async beginUpload(
      given: { uploadId: string; size: number; filename: string },
      options?: Pick<CallOptions, 'signal'>,
    ): Promise<UploadSoFar> {
      const { uploadId, size, filename } = given
      requireInput(uploadId && size, 'A file is required')
      return await call({
        ...options,
        method: 'PUT',
        path: uploadAt(uploadId),
        body: { size, filename },
        answer: uploadSoFar,
        fallback: 'Failed to upload media',
      })
    },

    /** Uploads more bytes, from `offset` on. */
    async continueUpload(
      given: { uploadId: string; offset: number; bytes: Blob },
      options?: Pick<CallOptions, 'signal'>,
    ): Promise<UploadSoFar> {
      const { uploadId, offset, bytes } = given
      requireInput(uploadId && bytes, 'A file is required')
      return await call({
        ...options,
        method: 'PATCH',
        path: `${uploadAt(uploadId)}${toQuery({ offset })}`,
        body: bytes,
        answer: uploadSoFar,
        fallback: 'Failed to upload media',
        timeoutMs: limitUploadMs(bytes.size),
      })
    },

    /** Cancels the upload: the server deletes what it has. */
    async endUpload(uploadId: string, options?: Pick<CallOptions, 'signal'>): Promise<void> {
      requireInput(uploadId, 'A file is required')
      await call({
        ...options,
        method: 'DELETE',
        path: uploadAt(uploadId),
        answer: uploadEnded,
        fallback: 'Failed to cancel the upload',
      })
    },

    /**
     * Which of the caller's uploads the server has lost, for example after a restore. At most 100
     * per call.
     */
    async findMissingUploads(
      uploads: readonly { id: string; mediaUrl: string }[],
      options?: Pick<CallOptions, 'signal'>,
    ): Promise<string[]> {
      requireInput(uploads?.length, 'Choose at least one file')
      const { missing } = await call({
        ...options,
        method: 'POST',
        path: '/messages/uploads/missing',
        body: { uploads },
        answer: missingUploads,
        fallback: 'Failed to check your files',
      })
      return missing
    },

    /**
     * A message's file.
     * @param given.size in bytes, if known: a large one gets more time
     * @param given.open makes another of it as it arrives, such as an open one of a sealed one
     */
    async download(
      given: { mediaUrl: string; size?: number | undefined; open?: OpenFile | undefined },
      options?: CallOptions,
    ): Promise<Blob> {
      requireInput(given.mediaUrl, 'A file is required')
      const words = 'Failed to download the file'
      const answered = await call({
        ...options,
        path: pathOfFile(given.mediaUrl),
        isFile: true,
        open: given.open,
        answer: z.unknown(),
        fallback: words,
        timeoutMs: limitUploadMs(given.size ?? 0),
      })
      if (answered instanceof Blob) return answered
      throw new ApiError({ status: 200, code: 'unreadable', words })
    },
  }
}

/** Only our own address, whatever a message says. A group's picture may come with its link's code. */
function pathOfFile(mediaUrl: string): string {
  const [id = '', code] = mediaUrl.slice(limits.mediaPathPrefix.length).split('?code=')
  return `/media/${encodeURIComponent(id)}${toQuery({ code })}`
}

/** `?…` with the fields that are set, or nothing. */
function toQuery(fields: Record<string, string | number | undefined>): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
