import type { MessageDocument } from '../../../schema/message.ts'

/** What there is to say of a customer's file that is not here; nothing of one that is. */
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
