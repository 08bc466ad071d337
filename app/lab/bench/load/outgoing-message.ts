export interface OutgoingMessage {
  id: string
  recipientId: string
  content: string
}
