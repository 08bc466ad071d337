import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { type ConnectionWords, describeConnection } from './describe-connection.ts'
import { usePatientWords } from './use-patient-words.ts'

/** The current text about the connection, once its delay is over. */
export function useConnectionWords(): ConnectionWords | undefined {
  return usePatientWords(describeConnection(useLiveValue(useMessenger().connection)))
}
