import type { MessageDocument } from '../../../schema/message.ts'

/** Why a customer's file is missing; undefined if it is here. */
export function describeMissingFile({
  media,
  error,
}: Pick<MessageDocument, 'media' | 'error'>): string | undefined {
  switch (media?.state) {
    case 'pending':
      return 'The file is on its way.'
    case 'failed':
      return error ?? "The file couldn't be fetched from WhatsApp."
    default:
      return undefined
  }
}
