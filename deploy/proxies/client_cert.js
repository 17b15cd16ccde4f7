// Converts the certificate of the client for nginx.conf (docs/proxies.md).
function field(request) {
  const variables = request.variables;
  if (variables.ssl_client_verify !== "SUCCESS") return "";
  return `:${variables.ssl_client_raw_cert.replace(/-----[A-Z ]+-----|\s/g, "")}:`;
}

export default { field };
