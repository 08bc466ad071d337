import * as z from 'zod/mini'
import { accountExport } from '../../../schema/api/account-export.ts'
import { errorAnswer } from '../../../schema/api/api-error.ts'
import { session, signedIn } from '../../../schema/api/auth.ts'
import { conversationAnswer, conversationStats } from '../../../schema/api/conversation-answer.ts'
import {
  messageAnswer,
  messageParty,
  messageStatusAnswer,
  statusHistoryAnswer,
} from '../../../schema/api/message-answer.ts'
import { linkedWhatsApp } from '../../../schema/api/whatsapp-link.ts'
import { id } from '../../../schema/id.ts'
import { uploadedFile } from '../../../schema/media.ts'
import { ownUser, publicUser } from '../../../schema/user.ts'

/** Schemas that the API description names instead of repeating. */
export const namedSchemas = z.registry<{ id: string }>()

const names: [string, z.ZodMiniType][] = [
  ['Id', id],
  ['Error', errorAnswer],
  ['User', publicUser],
  ['OwnUser', ownUser],
  ['SignedIn', signedIn],
  ['Session', session],
  ['Message', messageAnswer],
  ['MessageParty', messageParty],
  ['MessageStatus', messageStatusAnswer],
  ['StatusHistory', statusHistoryAnswer],
  ['Conversation', conversationAnswer],
  ['ConversationStats', conversationStats],
  ['UploadedFile', uploadedFile],
  ['LinkedWhatsApp', linkedWhatsApp],
  ['AccountExport', accountExport],
]
for (const [name, schema] of names) namedSchemas.add(schema, { id: name })
