/** The version of the app and the server, as package.json and the changelog name it. */
export const version = '1.0.0'
