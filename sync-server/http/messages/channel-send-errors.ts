import type { ErrorCode } from '../../../schema/api/api-error.ts'

/** The refusals of sending over the business channel. */
export const channelSendErrors = [
  ...(['whatsapp_not_configured', 'whatsapp_not_linked', 'whatsapp_refused'] as const),
  ...(['whatsapp_slowed', 'whatsapp_unavailable', 'whatsapp_unreachable'] as const),
  ...(['foreign_id', 'empty', 'too_long', 'media_not_allowed', 'unknown_person'] as const),
  ...(['type_not_allowed', 'storage_full', 'too_many_messages', 'deleted'] as const),
] as const satisfies readonly ErrorCode[]
