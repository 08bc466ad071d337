import type { MessageDocument } from '../../schema/message.ts'
import { describeMessage } from '../ui/describe-message.ts'
import { VisuallyHidden } from '../ui/visually-hidden.tsx'

interface ArrivalAnnouncementProps {
  arrival: MessageDocument | undefined
  peerName: string
}

/** What a screen reader says of a message that has just come in, wherever one reads. */
export function ArrivalAnnouncement({ arrival, peerName }: ArrivalAnnouncementProps) {
  return (
    <VisuallyHidden>
      <span role="status">
        {/* The key lets the same words, said again, be heard again. */}
        {arrival && <span key={arrival._id}>{`${peerName}: ${describeMessage(arrival)}`}</span>}
      </span>
    </VisuallyHidden>
  )
}
