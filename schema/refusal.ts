/** Every reason for which a write of a document is not taken. A closed union: each has words below. */
export const refusalCodes = [
  'unreadable',
  'wrong_sender',
  'to_yourself',
  'unknown_person',
  'recipient_unavailable',
  'storage_full',
  'foreign_id',
  'empty',
  'too_long',
  'type_not_allowed',
  'media_not_allowed',
  'not_author',
  'deleted',
  'forged_status',
] as const
export type RefusalCode = (typeof refusalCodes)[number]

export interface Refusal {
  code: RefusalCode
  /** What happened and what to do, in a person's words. */
  error: string
}

const words: Record<RefusalCode, string> = {
  unreadable: 'The server could not read this message. Copy its text and send it as a new one.',
  wrong_sender:
    'This message does not carry your name as its sender, so it was not sent. Send it as a new one.',
  to_yourself: 'A message cannot be sent to yourself. Choose another person.',
  unknown_person: 'This person has no account any more, so the message was not sent.',
  recipient_unavailable:
    'The server cannot store anything for this person at the moment. Please try again later.',
  storage_full:
    'Not sent: your storage on this server is full. Delete messages or files you sent, then try again.',
  foreign_id:
    'This message carries the id of another one, so it was not sent. Send it as a new one.',
  empty: 'An empty message cannot be sent. Write something first.',
  too_long: 'This message is longer than 65,536 characters. Shorten it, or send it in parts.',
  type_not_allowed: 'This kind of message cannot be sent here. Send it as text.',
  media_not_allowed: 'The attachment of this message is not on this server. Attach the file again.',
  not_author: 'Only the person who wrote a message can change or delete it.',
  deleted: 'This message was deleted before your change arrived, so the change was not made.',
  forged_status: 'Only the other person can confirm that a message has arrived or was read.',
}

/** A refusal with its words. */
export function refuse(code: RefusalCode): Refusal {
  return { code, error: words[code] }
}
