/** Every reason to refuse a document's write. A closed union: each has words below. */
export const refusalCodes = [
  'unreadable',
  'wrong_sender',
  'to_yourself',
  'unknown_person',
  'not_accepted',
  'recipient_unavailable',
  'storage_full',
  'foreign_id',
  'empty',
  'too_long',
  'type_not_allowed',
  'media_not_allowed',
  'not_author',
  'deleted',
  'bad_reaction',
  'forged_status',
  'not_editable',
] as const
export type RefusalCode = (typeof refusalCodes)[number]

export interface Refusal {
  code: RefusalCode
  /** What happened and what to do, for a person. */
  error: string
}

const words: Record<RefusalCode, string> = {
  unreadable: "The server couldn't read this message. Copy its text and send it as a new one.",
  wrong_sender: 'Not sent: this message has another sender. Send it as a new one.',
  to_yourself: "You can't message yourself. Choose someone else.",
  unknown_person: 'Not sent: this account was deleted.',
  not_accepted:
    'Not sent: this person only gets messages from people they already have a chat with.',
  recipient_unavailable:
    "The server can't store messages for this person right now. Try again later.",
  storage_full:
    'Not sent: your storage on this server is full. Delete messages or files you sent, then try again.',
  foreign_id: 'Not sent: another message has the same id. Send it as a new one.',
  empty: "You can't send an empty message. Write something first.",
  too_long: 'This message is longer than 65,536 characters. Shorten it or send it in parts.',
  type_not_allowed: "This kind of message can't be sent here. Send it as text.",
  media_not_allowed: "The attachment isn't on this server. Attach the file again.",
  not_author: 'Only the author can change or delete a message.',
  deleted: 'Not changed: this message was already deleted.',
  bad_reaction: 'You can only react with an emoji. Choose one.',
  forged_status: 'Only the other person can confirm that a message was delivered or read.',
  not_editable: 'WhatsApp messages cannot be edited',
}

/** A refusal with its words. */
export function refuse(code: RefusalCode): Refusal {
  return { code, error: words[code] }
}
