import * as z from 'zod/mini'
import { describeGroupRefusal, type GroupRefusalCode, groupRefusalCodes } from '../group.ts'
import { type RefusalCode, refuse } from '../refusal.ts'

/**
 * Every refusal of a request that concerns no single document: its status and words for a person.
 * `refusal.ts` lists the refusals of messages and conversations.
 */
export const apiErrors = {
  invalid_input: {
    status: 400,
    error: "Something in this request isn't right. Check it and try again.",
  },
  settings_too_large: { status: 400, error: 'Settings are too large' },
  not_json: { status: 400, error: "This request isn't valid JSON." },
  nested_too_deeply: { status: 400, error: 'This request is nested too deeply.' },
  own_account: { status: 400, error: "You can't do this to your own account." },
  file_required: { status: 400, error: 'A file is required' },
  picture_required: { status: 400, error: 'Image file is required' },
  push_endpoint_refused: {
    status: 400,
    error: 'Notifications cannot be sent to this address. It must be a public one, with https.',
  },
  upload_unreadable: {
    status: 400,
    error: "The file didn't arrive complete. Please upload it again.",
  },
  authentication_required: { status: 401, error: 'Authentication required' },
  session_ended: { status: 401, error: "You've been signed out. Sign in to continue." },
  invalid_credentials: { status: 401, error: 'Wrong username or password' },
  wrong_password: { status: 403, error: 'The current password is wrong.' },
  email_needs_password: {
    status: 403,
    error: 'Changing the email needs your password: Settings → Account.',
  },
  account_disabled: {
    status: 403,
    error: 'This account is disabled. Ask whoever runs this server.',
  },
  registration_closed: {
    status: 403,
    error: 'This server takes no new accounts. Ask whoever runs it.',
  },
  invitation_needed: {
    status: 403,
    error: 'Creating an account here needs an invitation. Ask somebody who is here for a link.',
  },
  invitation_unneeded: {
    status: 409,
    error: 'Everybody can create an account here: no invitation is needed.',
  },
  invitations_by_admins: {
    status: 403,
    error: 'On this server only its admins make invitations. Ask one of them.',
  },
  invitation_invalid: {
    status: 403,
    error: "This invitation isn't valid any more. Ask for a new one.",
  },
  second_factor_needed: {
    status: 403,
    error: 'Confirm that it is you: enter the code of your authenticator app.',
  },
  second_factor_wrong: {
    status: 403,
    error: 'This code is wrong, or was used already. Wait for the next one.',
  },
  forbidden: { status: 403, error: 'Access forbidden' },
  whatsapp_not_linked: { status: 403, error: 'WhatsApp account is not linked' },
  origin_not_allowed: { status: 403, error: "This page can't open a connection here." },
  user_not_found: { status: 404, error: 'User not found' },
  message_not_found: { status: 404, error: 'Message not found' },
  session_not_found: { status: 404, error: 'Session not found' },
  not_found: { status: 404, error: 'There is nothing at this address.' },
  media_not_found: { status: 404, error: 'File not found' },
  upload_not_found: { status: 404, error: 'This upload has ended. It begins again.' },
  method_not_allowed: { status: 405, error: "This address doesn't take requests of this kind." },
  upload_timed_out: { status: 408, error: 'The upload stopped on its way. Please try it again.' },
  request_timed_out: {
    status: 408,
    error: 'This request stopped on its way. Please try it again.',
  },
  upload_out_of_step: {
    status: 409,
    error: 'The server has a different part of this file. Please try the upload again.',
  },
  action_refused: { status: 409, error: "This can't be done." },
  username_taken: { status: 409, error: 'Username already taken' },
  email_taken: { status: 409, error: 'Email already registered' },
  phone_taken: { status: 409, error: 'This phone number belongs to another account' },
  whatsapp_taken: {
    status: 409,
    error: 'This WhatsApp account is already linked to another user',
  },
  number_taken: {
    status: 409,
    error: 'This Phone Number ID is already linked to another user',
  },
  account_changed: {
    status: 409,
    error: 'Your account was changed somewhere else at the same moment. Please try again.',
  },
  number_not_permitted: {
    status: 403,
    error:
      'You may not operate this Phone Number ID: another account did so before, or this server names who may. Ask whoever runs the server.',
  },
  number_mismatch: { status: 422, error: 'Phone Number ID does not match the phone number' },
  whatsapp_refused: { status: 422, error: 'WhatsApp refused this message.' },
  whatsapp_slowed: { status: 429, error: 'Too many messages at once. Try again in some minutes.' },
  whatsapp_unavailable: { status: 503, error: 'WhatsApp channel is not available' },
  whatsapp_unreachable: { status: 503, error: 'WhatsApp is not reachable at the moment.' },
  webhook_not_found: { status: 404, error: 'Webhook not found' },
  webhook_busy: { status: 409, error: 'This webhook is being processed already.' },
  webhook_expired: { status: 410, error: 'What came with this webhook is not kept any more.' },
  keys_need_wrap: {
    status: 409,
    error:
      'The password also opens your encrypted messages. Change it in the app, or send the newly wrapped key along.',
  },
  keys_outdated: {
    status: 409,
    error: 'Another device made new keys meanwhile. Please try again.',
  },
  keys_unsigned: { status: 400, error: "These keys aren't signed for your account." },
  encryption_off: { status: 409, error: 'End-to-end encryption is off on this server.' },
  message_deleted: { status: 409, error: 'This message was deleted.' },
  message_sealed: {
    status: 409,
    error: 'This message is end-to-end encrypted: only a device with the keys can do that.',
  },
  status_not_higher: { status: 409, error: 'The status of a message never goes back.' },
  too_large: { status: 413, error: 'This request is too large.' },
  file_too_large: { status: 413, error: 'File size too large.' },
  form_required: { status: 415, error: 'This address takes a file, as multipart/form-data only.' },
  bytes_required: {
    status: 415,
    error: 'This address takes the bytes of a file, as application/octet-stream only.',
  },
  picture_type_not_allowed: {
    status: 415,
    error: 'Invalid file type. Please upload a JPEG, PNG, or WebP image.',
  },
  range_not_satisfiable: { status: 416, error: 'This file has no such part.' },
  json_required: { status: 415, error: 'This address takes JSON only.' },
  app_outdated: {
    status: 426,
    error: 'This version of Petrel is too old for this server. Update to go on: nothing is lost.',
  },
  too_many_attempts: {
    status: 429,
    error: 'Too many failed sign-ins. Please wait a few minutes and try again.',
  },
  too_many_registrations: {
    status: 429,
    error: 'Too many new accounts from this network. Please try again later.',
  },
  too_many_uploads: {
    status: 429,
    error: 'Too many uploads at once. Please wait until one of them is done.',
  },
  too_many_requests: {
    status: 429,
    error: 'Too many requests. Please wait a moment and try again.',
  },
  too_many_at_once: {
    status: 429,
    error: 'Too much at once. Please wait a moment and try again.',
  },
  too_many_messages: {
    status: 429,
    error: 'Too many messages at once. They will be sent a little later.',
  },
  too_many_lookups: {
    status: 429,
    error: 'Too many searches by phone number or email. Please wait a minute and try again.',
  },
  reset_link_over: {
    status: 410,
    error: "This link isn't valid any more: it works once, for half an hour. Ask for a new one.",
  },
  device_link_unknown: {
    status: 404,
    error: "This code isn't valid any more. Show a new one on the other device.",
  },
  device_link_expired: {
    status: 410,
    error: 'This code has expired. Show a new one on the other device.',
  },
  device_link_used: {
    status: 409,
    error: 'This code was used already. Show a new one on the other device.',
  },
  device_link_refused: { status: 403, error: 'The sign-in was declined on your phone.' },
  device_link_cancelled: { status: 410, error: 'The sign-in was cancelled on the other device.' },
  device_link_wrong_key: {
    status: 403,
    error: "This device isn't the one that showed the code.",
  },
  device_link_not_approved: { status: 409, error: "The sign-in hasn't been confirmed yet." },
  too_many_device_links: {
    status: 429,
    error: 'Too many codes. Please wait a few minutes and try again.',
  },
  server_outdated: {
    status: 503,
    error:
      "This server doesn't know your newer version of Petrel yet. Nothing is lost: your device tries again.",
  },
  internal_error: { status: 500, error: 'Something went wrong on our side. Please try again.' },
  whatsapp_not_configured: { status: 503, error: 'WhatsApp channel is not configured' },
  busy: { status: 503, error: 'The server is busy. Please try again in a moment.' },
  storage_unavailable: {
    status: 503,
    error:
      "The server can't store anything right now. Nothing is lost: your device will send it again.",
  },
} as const satisfies Record<string, { status: number; error: string }>

export type ApiErrorCode = keyof typeof apiErrors

/** The HTTP status for a request whose document was refused. */
const refusalStatuses: Record<RefusalCode, number> = {
  unreadable: 400,
  wrong_sender: 403,
  to_yourself: 400,
  unknown_person: 404,
  not_accepted: 403,
  recipient_unavailable: 503,
  storage_full: 507,
  foreign_id: 409,
  empty: 400,
  too_long: 400,
  type_not_allowed: 400,
  media_not_allowed: 400,
  not_author: 403,
  deleted: 409,
  bad_reaction: 400,
  forged_status: 403,
  not_editable: 409,
}

/** Every code that an answer can carry. */
export type ErrorCode = ApiErrorCode | RefusalCode | GroupRefusalCode

/** The status and the words of a code. */
export function describeError(code: ErrorCode): { status: number; error: string } {
  if (isApiErrorCode(code)) return apiErrors[code]
  return isGroupCode(code)
    ? describeGroupRefusal(code)
    : { status: refusalStatuses[code], error: refuse(code).error }
}

function isApiErrorCode(code: ErrorCode): code is ApiErrorCode {
  return code in apiErrors
}

function isGroupCode(code: ErrorCode): code is GroupRefusalCode {
  return groupRefusalCodes.some((one) => one === code)
}

/** The answer to every refused request. `details`: which part is wrong, for programs. */
export const errorAnswer = z.object({
  error: z.string(),
  code: z.string(),
  details: z.optional(z.string()),
  /** For a message that was kept but not sent: it is stored as failed. */
  messageId: z.optional(z.string()),
})
export type ErrorAnswer = z.infer<typeof errorAnswer>

const signedOutCodes = ['authentication_required', 'session_ended'] as const
/** Beneath `/sync`, refusals are written as CouchDB writes them: the words say whose they are. */
const signedOutAnswer = z.union([
  z.object({ code: z.enum(signedOutCodes) }),
  z.object({
    error: z.literal('unauthorized'),
    reason: z.enum(signedOutCodes.map((code) => apiErrors[code].error)),
  }),
])

/**
 * Does this answer say that the sign-in has ended? Only the server's own words do: whatever else
 * answers 401 on the way, such as a proxy that wants a password, knows nothing of it.
 */
export function isSignedOutAnswer({ status, body }: { status: number; body: unknown }): boolean {
  return status === 401 && signedOutAnswer.safeParse(body).success
}
